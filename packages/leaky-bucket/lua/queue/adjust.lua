-- Corrects an earlier grant on one limit: takes some of it back, or adds to it whatever the limit has left.
--
-- KEYS[1]  the limit's state for one key
-- ARGV     the numbers below as plain text, one argument each; or all of them in one argument, packed as
--          little-endian doubles:
--            clock  milliseconds since the epoch, or -1 for the server's own clock
--            delta  units to add to the grant (above 0) or to take back (below 0)
--            capacity, rate, scale, as described below
--            grantedUsed, grantedDated, grantedMeasure:
--                   what the grant replied; -1 each where nothing was granted
-- reply    0 (-1 when the debt would be too large to be counted exactly: nothing is changed), now (milliseconds),
--          then what follows from it: used, dated, measure; as plain numbers or packed, as the arguments came
--
-- A global costs the server more than a local: those that are used more than once become one.
local redis, struct, ARGV = redis, struct, ARGV
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local clock, delta, capacity, rate, scale, grantedUsed, grantedDated, grantedMeasure
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  clock, delta, capacity, rate, scale, grantedUsed, grantedDated, grantedMeasure = unpack(ARGV)
else
  clock, delta, capacity, rate, scale, grantedUsed, grantedDated, grantedMeasure = struct.unpack('<dddddddd', packed)
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
local used, dated, measure
if state then
  if #state == 24 then used, dated, measure = struct.unpack('<ddd', state) end
  -- whole and in range, or somebody else has written them: what follows must not fail
  if not (used and used % 1 + dated % 1 == 0 and used + dated < 1e17 and used >= 0 and dated >= 0) then
    return redis.error_reply('SLUICESTATE 1 this key holds no state of this limit')
  end
end
local redated, life, refused
-- Level, part 1: brings the stored level to `now`. A bucket refills, a meter and a queue leak: it is all one.
--
-- A token is counted in units small enough for a whole number of them to come back in a millisecond. The level is
-- what is used, so that a missing key is an unused limit and a changed capacity keeps what is used.
--
-- parameters  capacity  units that can be used
--             rate      units that come back in a millisecond
--             scale     units in a token
-- state       used      units used up at `dated`; beyond `capacity` it is debt
--             dated     milliseconds since the epoch
--             measure   the scale in which `used` is counted
if not state then
  used, dated, measure = 0, now, scale
else
  if measure ~= scale then
    if not (measure >= 1 and measure % 1 == 0 and measure < 1e17) then
      return redis.error_reply('SLUICESTATE 1 this key holds no state of this limit')
    end
    local units, from = used, measure
    -- `units` counted `from` a token, counted `scale` a token: whole tokens stay, a part of one is rounded up
    local part = units % from
    units = math.min((units - part) / from * scale, 9007199254740991)
    if part > 0 then
      local exact = part * scale <= 9007199254740991
      units = math.min(units + (exact and math.ceil(part * scale / from) or scale), 9007199254740991)
    end
    used, measure = units, scale
  end
  if dated < now then
    -- a product beyond 2^53 is rounded, and beyond any level all the same
    used = used - (now - dated) * rate
    if used < 0 then used = 0 end
    dated = now
  elseif dated - now > math.ceil(capacity / rate) then
    -- it was written when the clock was far ahead
    dated, redated = now, true
  end
end
-- Level, before part 3: the grant may have been counted at another rate.
if grantedDated >= 0 and grantedMeasure ~= scale then
  local units, from = grantedUsed, grantedMeasure
  -- `units` counted `from` a token, counted `scale` a token: whole tokens stay, a part of one is rounded up
  local part = units % from
  units = math.min((units - part) / from * scale, 9007199254740991)
  if part > 0 then
    local exact = part * scale <= 9007199254740991
    units = math.min(units + (exact and math.ceil(part * scale / from) or scale), 9007199254740991)
  end
  grantedUsed = units
end

-- Level of a queue, before part 3: a slot is given back only when it is the last, since those behind it are promised.
if delta < 0 and grantedDated >= 0 then
  local last = grantedUsed - math.max(0, dated - grantedDated) * rate
  if used ~= math.max(0, last) then delta = 0 end
end

-- Level, part 3: makes an earlier grant larger or smaller by `delta` tokens, as far as it still weighs.
local units = math.abs(delta) * scale
local weighs = units
if grantedDated >= 0 then
  -- of the level that the grant left behind, what has not come back since
  local level = grantedUsed + math.max(0, delta * scale)
  refused = level > 9007199254740991
  weighs = math.min(units, math.max(0, level - math.max(0, dated - grantedDated) * rate))
  -- a clock that stepped far back has re-dated what is used: whose it is can no longer be told
  if delta < 0 and dated < grantedDated then weighs = 0 end
end
if delta < 0 then
  used = math.max(0, used - weighs)
elseif refused or weighs > 9007199254740991 - used then
  refused = true
else
  used = used + weighs
end
life = used > 0 and dated - now + used / rate or 0
if refused then
  -- nothing is written
elseif life > 0 then
  -- SETRANGE keeps a TTL that still fits: together with PTTL it costs the server less than SET with an expiry
  local fresh = struct.pack('<ddd', used, dated, measure)
  if ttl > life and ttl <= 2 * life + 1000 then
    call('SETRANGE', key, '0', fresh)
  else
    call('SET', key, fresh, 'PX', math.ceil(1.5 * life) + 1000)
  end
elseif state then
  call('DEL', key)
end
local taken = refused and -1 or 0
if plain then return {taken, now, used, dated, measure} end
return struct.pack('<ddddd', taken, now, used, dated, measure)
