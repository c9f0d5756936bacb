-- Sliding log, part 2: takes `cost` units, or as many as there are if `least` are.
local room = limit - reserve - used
if cost <= room then taken = cost elseif least <= room then taken = room end
if taken > 0 and mode == 1 then
  grant, used = taken, used + taken
elseif taken < 0 and least + reserve <= limit then
  local excess = used + least + reserve - limit
  freeAt = firstAt
  if (firstTotal - base) % WRAP < excess then freeAt = select(2, search(head + 1, firstTotal, true, excess)) end
  freeAt = freeAt + window
end
local newest = grant > 0 and at or used > 0 and lastAt or 0
life = used > 0 and newest + window - now or 0
-- whoever writes into the string learns by that whether it is as long as it should be
if state and grant == 0 and call('STRLEN', key) ~= HEADER + ENTRY * slots then return redis.error_reply(BROKEN) end
