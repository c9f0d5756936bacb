-- Sliding log, part 3: makes a grant larger or smaller by `delta` units while it counts.
local SPAN = 512
if state and call('STRLEN', key) ~= HEADER + ENTRY * slots then return redis.error_reply(BROKEN) end
-- units more than a total can tell
local tooMuch = delta > WRAP - 1 - used
if grantedNewest < 0 then
  refused, grant = tooMuch, tooMuch and 0 or math.max(0, delta)
  used = used + grant
elseif used > 0 and grantedNewest > at - window and grantedNewest <= lastAt then
  local index, date, total, before = search(head, base, false, grantedNewest)
  refused = date == grantedNewest and tooMuch
  if date == grantedNewest and not refused then
    local change = math.max(-((total - before) % WRAP), delta)
    -- every running total from that entry on changes; the last one is written with the header
    for from = index, tail - 2, SPAN do
      local to = math.min(from + SPAN - 1, tail - 2)
      local entries = call('GETRANGE', key, HEADER + ENTRY * from, HEADER + ENTRY * (to + 1) - 1)
      local changed = {}
      for position = 1, #entries, ENTRY do
        local sum, on = struct.unpack('<I6I6', entries, position)
        changed[#changed + 1] = struct.pack('<I6I6', (sum + change) % WRAP, on)
      end
      call('SETRANGE', key, HEADER + ENTRY * from, table.concat(changed))
    end
    if index == head then firstTotal, moved = (firstTotal + change) % WRAP, true end
    lastTotal = (lastTotal + change) % WRAP
    used = used + change
    if used > 0 and index == tail - 1 and lastTotal == before then
      -- nothing is left of the last entry: the last is now that of the last unit that counts
      index, lastAt = search(head, base, true, used)
      tail = index + 1
    end
  end
end
local newest = grant > 0 and at or used > 0 and lastAt or 0
life = used > 0 and newest + window - now or 0
