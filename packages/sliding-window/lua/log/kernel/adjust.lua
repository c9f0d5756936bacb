-- Sliding log, part 3: makes a grant larger or smaller by `delta` units while it counts.
local SPAN = 512
if grantedNewest < 0 then
  grant = math.max(0, math.min(delta, WRAP - 1 - used))
  used = used + grant
elseif used > 0 and grantedNewest > at - window and grantedNewest <= lastAt then
  local index, date, total, before = search(head, false, grantedNewest)
  if date == grantedNewest then
    local change = math.max(-((total - before) % WRAP), math.min(delta, WRAP - 1 - used))
    -- every running total from that entry on changes; the last one is written with the header
    for from = index, tail - 2, SPAN do
      local to = math.min(from + SPAN - 1, tail - 2)
      local entries = call('GETRANGE', key, HEADER + ENTRY * from, HEADER + ENTRY * (to + 1) - 1)
      local changed = {}
      for position = 1, #entries, ENTRY do
        local on, sum = struct.unpack('<I6I6', entries, position)
        changed[#changed + 1] = struct.pack('<I6I6', on, (sum + change) % WRAP)
      end
      call('SETRANGE', key, HEADER + ENTRY * from, table.concat(changed))
    end
    if index == head then firstTotal, moved = (firstTotal + change) % WRAP, true end
    lastTotal = (lastTotal + change) % WRAP
    used = used + change
  end
end
local newest = grant > 0 and at or used > 0 and lastAt or 0
life = used > 0 and newest + window - now or 0
