-- Fixed window, part 1: finds the window that holds `now`, and what is used of it.
--
-- The state does not say how long a window was when it was written: the date of the last grant tells which window it
-- counts in, whatever the length is now.
--
-- parameters  limit   units a window
--             window  its length, milliseconds
--             first   1 when a window starts with a key's first grant, 0 when at multiples of its length
-- state       used    units granted in the window
--             last    when the last of them was, milliseconds since the epoch
--             since   when the first of them was
local at, start = now
if state then
  if last - now > window then
    -- it was written when the clock was far ahead
    last, since, redated = now, now, true
  elseif last > now then
    at = last
  end
  start = last - (first == 1 and last - since or last) % window
end
if not state or at - start >= window then
  used, last, since, start = 0, at, at, first == 1 and at or at - at % window
end
