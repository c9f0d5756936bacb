-- Sliding log, part 1: drops what has left the window, and finds what is used.
--
-- parameters  limit   units in any window (now - window, now]
--             window  its length, milliseconds
-- facts       used    units that count
--             newest  when the last of them were granted, milliseconds since the epoch; 0 where nothing counts
--             freeAt  for a denial that can pass later: when enough of them will have left; 0 otherwise
local at, used, freeAt = now, 0, 0
-- units to record when the log is written; whether its head has moved; whether it is written anew
local grant, moved, anew = 0

-- The first entry from `low` on whose date, or whose running total since `base`, is at least `bound`, as the last one
-- is known to be: its index, its date, its total, and the total before it, which is told for `low`. By steps that
-- double, since it is mostly near, then by halving.
local function search(low, before, byTotal, bound)
  local high, date, total, step = tail - 1, lastAt, lastTotal, 1
  while low < high do
    local probe = step and low + step - 1 or high
    if probe >= high then probe, step = math.floor((low + high) / 2), nil end
    local from = HEADER + ENTRY * probe
    local sum, on = struct.unpack('<I6I6', call('GETRANGE', key, from, from + ENTRY - 1))
    on = lastAt - (lastAt - on) % WRAP
    if (byTotal and (sum - base) % WRAP or on) >= bound then
      high, date, total, step = probe, on, sum, nil
    else
      low, before, step = probe + 1, sum, step and step * 2
    end
  end
  return low, date, total, before
end

if state then
  redated = lastAt - now > window
  if lastAt > now then at = lastAt end
  if lastAt > at - window then
    if firstAt <= at - window then
      head, firstAt, firstTotal, base = search(head + 1, firstTotal, false, at - window + 1)
      moved = true
    end
    used = (lastTotal - base) % WRAP
  end
  if redated then
    -- it was written when the clock was far ahead: all that counts is one grant of now
    at, anew = now, true
    tail, lastTotal, lastAt, head, base, firstAt, firstTotal = 1, used, now, 0, 0, now, used
  end
end
