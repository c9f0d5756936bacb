-- Corrects an earlier grant on one limit: takes some of it back, or adds to it whatever the limit has left.
--
-- KEYS[1]  the limit's state for one key
-- ARGV     the numbers below as plain text, one argument each; or all of them in one argument, packed as
--          little-endian doubles:
--            clock  milliseconds since the epoch, or -1 for the server's own clock
--            delta  units to add to the grant (above 0) or to take back (below 0)
--            limit, window, as described below
--            grantedCurrent, grantedPrevious, grantedLast, grantedWidth:
--                   what the grant replied; -1 each where nothing was granted
-- reply    0 (-1 when the debt would be too large to be counted exactly: nothing is changed), now (milliseconds),
--          then what follows from it: current, previous, last, width; as plain numbers or packed, as the arguments came
--
-- A global costs the server more than a local: those that are used more than once become one.
local redis, struct, ARGV = redis, struct, ARGV
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local clock, delta, limit, window, grantedCurrent, grantedPrevious, grantedLast, grantedWidth
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  clock, delta, limit, window, grantedCurrent, grantedPrevious, grantedLast, grantedWidth = unpack(ARGV)
else
  clock, delta, limit, window, grantedCurrent, grantedPrevious, grantedLast, grantedWidth = struct.unpack('<dddddddd', packed)
end
local key, now, ttl = KEYS[1], clock, -1
local state = call('GET', key)
if state then
  ttl = call('PTTL', key)
  -- when the key expires, less the time until then, is now: with PTTL no dearer than TIME, and Redis has it since 7.0
  if now < 0 and ttl > 0 and redis.REDIS_VERSION_NUM then now = call('PEXPIRETIME', key) - ttl end
end
if now < 0 then
  local time = call('TIME')
  local ms = time[2] / 1000
  now = time[1] * 1000 + (ms - ms % 1)
end
local current, previous, last, width
if state then
  if #state == 32 then current, previous, last, width = struct.unpack('<dddd', state) end
  -- whole and in range, or somebody else has written them: what follows must not fail
  if not (current and current % 1 + previous % 1 + last % 1 == 0 and current + previous + last < 1e17 and current >= 0 and previous >= 0 and last >= 0) then
    return redis.error_reply('SLUICESTATE 1 this key holds no state of this limit')
  end
end
local redated, life, refused
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
      return redis.error_reply('SLUICESTATE 1 this key holds no state of this limit')
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
-- Sliding counter, part 3: makes a grant larger or smaller by `delta` units. What is given back is given in the window
-- it was taken in, or not at all; what is added counts in that window as long as it weighs.
local lastStart, more, moreBefore = last - last % window, 0, 0
if grantedLast < 0 then
  current, previous, last, more = held, before, at, delta
elseif delta < 0 then
  -- its window must be the present one as it was measured then and as it is now
  local isHeld = grantedLast - grantedLast % window == start and lastStart == start
  local isOver = at - at % grantedWidth ~= grantedLast - grantedLast % grantedWidth
  if isHeld and not isOver then more = delta end
elseif grantedLast >= lastStart then
  more = delta
elseif grantedLast >= lastStart - window then
  moreBefore = delta
end
if math.max(current + more, previous + moreBefore) > 9007199254740991 then
  refused = true
else
  current, previous = math.max(0, current + more), previous + moreBefore
end
held, before = 0, 0
if last >= start then
  held, before = current, previous
elseif last >= start - window then
  before = current
end
life = held > 0 and at - now + rest + window or before > 0 and at - now + rest or 0
if refused then
  -- nothing is written
elseif life > 0 then
  -- SETRANGE keeps a TTL that still fits: together with PTTL it costs the server less than SET with an expiry
  local fresh = struct.pack('<dddd', current, previous, last, width)
  if ttl > life and ttl <= 2 * life + 1000 then
    call('SETRANGE', key, '0', fresh)
  else
    call('SET', key, fresh, 'PX', math.ceil(1.5 * life) + 1000)
  end
elseif state then
  call('DEL', key)
end
local taken = refused and -1 or 0
if plain then return {taken, now, current, previous, last, width} end
return struct.pack('<dddddd', taken, now, current, previous, last, width)
