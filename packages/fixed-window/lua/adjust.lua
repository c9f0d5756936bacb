-- Corrects an earlier grant on one limit: takes some of it back, or adds to it whatever the limit has left.
--
-- KEYS[1]  the limit's state for one key
-- ARGV     the numbers below as plain text, one argument each; or all of them in one argument, packed as
--          little-endian doubles:
--            clock  milliseconds since the epoch, or -1 for the server's own clock
--            delta  units to add to the grant (above 0) or to take back (below 0)
--            limit, window, first, as described below
--            grantedUsed, grantedLast, grantedSince:
--                   what the grant replied; -1 each where nothing was granted
-- reply    0 (-1 when the debt would be too large to be counted exactly: nothing is changed), now (milliseconds),
--          then what follows from it: used, last, since; as plain numbers or packed, as the arguments came
--
-- A global costs the server more than a local: those that are used more than once become one.
local redis, struct, ARGV = redis, struct, ARGV
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local clock, delta, limit, window, first, grantedUsed, grantedLast, grantedSince
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  clock, delta, limit, window, first, grantedUsed, grantedLast, grantedSince = unpack(ARGV)
else
  clock, delta, limit, window, first, grantedUsed, grantedLast, grantedSince = struct.unpack('<dddddddd', packed)
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
local used, last, since
if state then
  if #state == 24 then used, last, since = struct.unpack('<ddd', state) end
  -- whole and in range, or somebody else has written them: what follows must not fail
  if not (used and used % 1 + last % 1 + since % 1 == 0 and used + last + since < 1e17 and used >= 0 and last >= 0 and since >= 0) then
    return redis.error_reply('SLUICESTATE 1 this key holds no state of this limit')
  end
end
local redated, life, refused
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
-- Fixed window, part 3: makes a grant larger or smaller by `delta` units if it is one of those that are counted; or,
-- where nothing was granted, what is used.
if grantedLast < 0 or used > 0 and grantedLast >= since and grantedLast <= last then
  if used + delta > 9007199254740991 then
    refused = true
  else
    used = math.max(0, used + delta)
    if grantedLast < 0 and delta > 0 then last = at end
  end
end
life = used > 0 and start + window - now or 0
if refused then
  -- nothing is written
elseif life > 0 then
  -- SETRANGE keeps a TTL that still fits: together with PTTL it costs the server less than SET with an expiry
  local fresh = struct.pack('<ddd', used, last, since)
  if ttl > life and ttl <= 2 * life + 1000 then
    call('SETRANGE', key, '0', fresh)
  else
    call('SET', key, fresh, 'PX', math.ceil(1.5 * life) + 1000)
  end
elseif state then
  call('DEL', key)
end
local taken = refused and -1 or 0
if plain then return {taken, now, used, last, since} end
return struct.pack('<ddddd', taken, now, used, last, since)
