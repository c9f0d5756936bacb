-- Sliding counter, part 2: takes `cost` units, or as many as there are if `least` are. The window before weighs by the
-- share of it that the window ending now still covers. The estimate is compared in whole numbers:
-- (held + cost) * window + before * rest <= limit * window.
local weight = 0
if before > 0 then weight = weigh and weigh(before, rest, window) or math.ceil(before * rest / window) end
local room = limit - reserve - held - weight
if cost <= room then taken = cost elseif least <= room then taken = room end
if taken > 0 and mode == 1 then
  held = held + taken
  current, previous, last = held, before, at
end
life = held > 0 and at - now + rest + window or before > 0 and at - now + rest or 0
