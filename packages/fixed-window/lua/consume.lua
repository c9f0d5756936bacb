-- Decides one call on one limit and, if it is allowed, charges it.
--
-- KEYS[1]  the limit's state for one key
-- ARGV     the numbers below, one argument each, as plain text:
--            mode     1 to charge the call, 0 to look only
--            clock    milliseconds since the epoch, or -1 for the server's own clock
--            cost     units asked for
--            least    the fewest units that will do (cost, unless fewer are welcome)
--            reserve  units to leave behind
--            limit, window, first, as described below
--          or all of them in one argument, packed as little-endian doubles; or, for the usual call (mode 1, the
--          server's clock, least = cost, reserve 0), only cost and limit, window, first, packed
-- reply    taken (units granted, -1 for a denial), now (milliseconds), then what follows from it:
--          used, last, since; plain numbers for plain arguments, otherwise packed;
--          those alone when the whole cost was granted and last is now
--
-- A text argument, a number written as text and a number in a reply each cost the server more than a whole decision
-- costs in arithmetic: hence the packing. A TTL lasts from `life` to twice that and a second more.
--
-- A global costs the server more than a local: those that are used more than once become one.
local redis, struct, ARGV = redis, struct, ARGV
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local mode, clock, cost, least, reserve, limit, window, first
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  mode, clock, cost, least, reserve, limit, window, first = unpack(ARGV)
elseif #packed == 32 then
  cost, limit, window, first = struct.unpack('<dddd', packed)
  mode, clock, least, reserve = 1, -1, cost, 0
else
  mode, clock, cost, least, reserve, limit, window, first = struct.unpack('<dddddddd', packed)
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
local taken, redated, life = -1
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
-- Fixed window, part 2: takes `cost` units, or as many as there are if `least` are.
local room = limit - reserve - used
if cost <= room then taken = cost elseif least <= room then taken = room end
if taken > 0 and mode == 1 then used, last = used + taken, at end
life = used > 0 and start + window - now or 0
if mode == 1 then
  if taken > 0 or redated and taken < 0 then
    -- SETRANGE keeps a TTL that still fits: together with PTTL it costs the server less than SET with an expiry
    local fresh = struct.pack('<ddd', used, last, since)
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
if plain then return {taken, now, used, last, since} end
return struct.pack('<ddddd', taken, now, used, last, since)
