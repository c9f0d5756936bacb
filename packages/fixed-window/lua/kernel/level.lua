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
--             start   when the window started
local at = now
if state then
  if last - now > window then
    -- it was written when the clock was far ahead
    last, start, redated = now, now, true
  elseif last > now then
    at = last
  end
  if first == 1 then
    start = last - (last - start) % window
  else
    start = last - last % window
  end
end
if not state or at - start >= window then
  used, last, start = 0, at, first == 1 and at or at - at % window
end
