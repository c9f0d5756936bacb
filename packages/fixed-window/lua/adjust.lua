-- Corrects an earlier grant on one limit: takes some of it back, or adds to it whatever the limit has left.
--
-- KEYS[1]  the limit's state for one key
-- ARGV     the numbers below as plain text, one argument each; or all of them in one argument, packed as
--          little-endian doubles:
--            clock  milliseconds since the epoch, or -1 for the server's own clock
--            delta  units to add to the grant (above 0) or to take back (below 0)
--            limit, window, first, as described below
--            grantedUsed, grantedLast, grantedStart:
--                   what the grant replied; -1 each where nothing was granted
-- reply    0, now (milliseconds), then what follows from it: used, last, start; as plain numbers or packed, as the
--          arguments came
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local clock, delta, limit, window, first, grantedUsed, grantedLast, grantedStart
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  clock, delta, limit, window, first, grantedUsed, grantedLast, grantedStart = unpack(ARGV)
else
  clock, delta, limit, window, first, grantedUsed, grantedLast, grantedStart = struct.unpack('<dddddddd', packed)
end
local key, now, ttl = KEYS[1], clock, -1
local state = call('GET', key)
if state then
  ttl = call('PTTL', key)
  if now < 0 and ttl > 0 and redis.REDIS_VERSION_NUM then now = call('PEXPIRETIME', key) - ttl end
end
if now < 0 then
  local time = call('TIME')
  local ms = time[2] / 1000
  now = time[1] * 1000 + (ms - ms % 1)
end
local used, last, start
if state then
  if #state ~= 24 then return redis.error_reply('SLUICESTATE this key holds no state of this limit') end
  used, last, start = struct.unpack('<ddd', state)
end
local redated, life
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
-- Fixed window, part 3: makes a grant larger or smaller by `delta` units if its window is not over.
if grantedLast < 0 then
  used, last = math.max(0, math.min(used + delta, 9007199254740991)), at
elseif grantedLast >= start then
  used = math.max(0, math.min(used + delta, 9007199254740991))
end
life = used > 0 and start + window - now or 0
if life > 0 then
  -- SETRANGE keeps a TTL that still fits: together with PTTL it costs the server less than SET with an expiry
  local fresh = struct.pack('<ddd', used, last, start)
  if ttl > life and ttl <= 2 * life + 1000 then
    call('SETRANGE', key, '0', fresh)
  else
    call('SET', key, fresh, 'PX', math.ceil(1.5 * life) + 1000)
  end
elseif state then
  call('DEL', key)
end
if plain then return {0, now, used, last, start} end
return struct.pack('<ddddd', 0, now, used, last, start)
