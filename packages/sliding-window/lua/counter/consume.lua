-- Decides one call on one limit and, if it is allowed, charges it.
--
-- KEYS[1]  the limit's state for one key
-- ARGV     the numbers below, one argument each, as plain text:
--            mode     1 to charge the call, 0 to look only
--            clock    milliseconds since the epoch, or -1 for the server's own clock
--            cost     units asked for
--            least    the fewest units that will do (cost, unless fewer are welcome)
--            reserve  units to leave behind
--            limit, window, as described below
--          or all of them in one argument, packed as little-endian doubles; or, for the usual call (mode 1, the
--          server's clock, least = cost, reserve 0), only cost and limit, window, packed
-- reply    taken (units granted, -1 for a denial), now (milliseconds), then what follows from it:
--          current, previous, last, width; plain numbers for plain arguments, otherwise packed;
--          those alone when the whole cost was granted and last is now
--
-- A text argument, a number written as text and a number in a reply each cost the server more than a whole decision
-- costs in arithmetic: hence the packing. A TTL lasts from `life` to twice that and a second more.
--
-- A global costs the server more than a local: those that are used more than once become one.
local redis, struct, ARGV = redis, struct, ARGV
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local mode, clock, cost, least, reserve, limit, window
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  mode, clock, cost, least, reserve, limit, window = unpack(ARGV)
elseif #packed == 24 then
  cost, limit, window = struct.unpack('<ddd', packed)
  mode, clock, least, reserve = 1, -1, cost, 0
else
  mode, clock, cost, least, reserve, limit, window = struct.unpack('<ddddddd', packed)
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
local taken, redated, life = -1
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
-- Sliding counter, part 2: takes `cost` units, or as many as there are if `least` are. The window before weighs by the
-- share of it that the window ending now still covers. The estimate is compared in whole numbers:
-- (held + cost) * window + before * rest <= limit * window.
local weight = 0
if before > 0 then weight = weigh and weigh(before, rest, window) or math.ceil(before * rest / window) end
local room = limit - reserve - held - weight
if cost <= room then taken = cost elseif least <= room then taken = room end
if taken > 0 and mode == 1 then
  held = held + taken
  current, previous, last = held, before, at
end
life = held > 0 and at - now + rest + window or before > 0 and at - now + rest or 0
if mode == 1 then
  if taken > 0 or redated and taken < 0 then
    -- SETRANGE keeps a TTL that still fits: together with PTTL it costs the server less than SET with an expiry
    local fresh = struct.pack('<dddd', current, previous, last, width)
    if ttl > life and ttl <= 2 * life + 1000 then
      call('SETRANGE', key, '0', fresh)
    else
      call('SET', key, fresh, 'PX', math.ceil(1.5 * life) + 1000)
    end
    if taken == cost and last == now and not plain then return fresh end
  elseif state and ttl < life then
    call('PEXPIRE', key, math.ceil(1.5 * life) + 1000)
  end
end
if plain then return {taken, now, current, previous, last, width} end
return struct.pack('<dddddd', taken, now, current, previous, last, width)
