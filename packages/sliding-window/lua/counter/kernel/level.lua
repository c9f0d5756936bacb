-- Sliding counter, part 1: what the windows that hold `now` and the time before it weigh.
--
-- parameters  limit     units in any window, as estimated
--             window    its length, milliseconds; windows start at its multiples
-- state       current   units granted in the window that holds `last`
--             previous  units granted in the one before
--             last      when the last grant was, milliseconds since the epoch
--             width     how long a window was when it was written
local at, weigh = now
if not state then
  current, previous, last, width = 0, 0, now, window
else
  -- written when the clock was far ahead
  redated = last - now > window
  -- made only where it may be called: to make it costs more than the arithmetic below
  if width ~= window or redated or (current + previous) * window > 9007199254740991 then
    -- count * part / whole, rounded up, for part <= whole < 2^36: exact however large the product, since that is
    -- divided digit by digit
    weigh = function(count, part, whole)
      if count * part <= 9007199254740991 then return math.ceil(count * part / whole) end
      local units = count % whole
      local quotient, remainder = 0, 0
      for place = 2, 0, -1 do
        local digit = math.floor(part / 65536 ^ place) % 65536
        remainder = remainder * 65536 + units * digit
        quotient = quotient * 65536 + math.floor(remainder / whole)
        remainder = remainder % whole
      end
      quotient = quotient + (count - units) / whole * part
      return remainder > 0 and quotient + 1 or quotient
    end
  end
  if width ~= window or redated then
    if not (width >= 1 and width % 1 == 0 and width < 1e17) then
      return redis.error_reply('SLUICESTATE $position this key holds no state of this limit')
    end
    -- what was used at the last grant, in windows as they were then, counts as of that date, or of now
    current = math.min(current + weigh(previous, width - last % width, width), 9007199254740991)
    previous, width = 0, window
  end
  if redated then last = now elseif last > now then at = last end
end
local start = at - at % window
local rest = start + window - at
-- what counts in the present window, and in the one before it
local held, before = 0, 0
if last >= start then
  held, before = current, previous
elseif last >= start - window then
  before = current
end
-- a state that weighs no more is as good as none
if held + before == 0 then current, previous, last = 0, 0, at end
