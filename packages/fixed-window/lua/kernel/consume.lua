-- Fixed window, part 2: takes `cost` units, or as many as there are if `least` are.
local room = limit - reserve - used
if cost <= room then taken = cost elseif least <= room then taken = room end
if taken > 0 and mode == 1 then used, last = used + taken, at end
life = used > 0 and start + window - now or 0
