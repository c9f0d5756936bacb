-- Level, part 2: takes `cost` tokens, or as many as there are if `least` are.
local room = capacity - used - reserve * scale
if cost * scale <= room then
  taken = cost
elseif least * scale <= room then
  taken = math.floor(room / scale)
end
if taken > 0 and mode == 1 then used = used + taken * scale end
life = dated - now + used / rate
