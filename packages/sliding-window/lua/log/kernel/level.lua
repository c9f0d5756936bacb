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
-- is known to be: its index, its date, its total and the total before it. By steps that double, since it is mostly
-- near, then by halving.
local function search(low, byTotal, bound)
  local high, step = tail - 1, 1
  local function entry(index)
    if index == tail - 1 then return lastAt, lastTotal end
    local from = HEADER + ENTRY * index
    return struct.unpack('<I6I6', call('GETRANGE', key, from, from + ENTRY - 1))
  end
  local function reached(index)
    local date, total = entry(index)
    return (byTotal and (total - base) % WRAP or date) >= bound
  end
  while low + step - 1 < high do
    local probe = low + step - 1
    if reached(probe) then
      high = probe
      break
    end
    low, step = probe + 1, step * 2
  end
  while low < high do
    local middle = math.floor((low + high) / 2)
    if reached(middle) then high = middle else low = middle + 1 end
  end
  local date, total = entry(low)
  local before = base
  if low > head then before = select(2, entry(low - 1)) end
  return low, date, total, before
end

if state then
  redated = lastAt - now > window
  if lastAt > now then at = lastAt end
  if lastAt > at - window then
    if firstAt <= at - window then
      head, firstAt, firstTotal, base = search(head + 1, false, at - window + 1)
      moved = true
    end
    used = (lastTotal - base) % WRAP
  end
  if redated then
    -- it was written when the clock was far ahead: all that counts is one grant of now
    at, anew = now, true
    tail, lastAt, lastTotal, head, base, firstAt, firstTotal = 1, now, used, 0, 0, now, used
  end
end
