-- Decides one call on one limit and, if it is allowed, charges it.
--
-- KEYS[1]  the limit's state for one key
-- ARGV     the numbers below, one argument each, as plain text:
--            mode     1 to charge the call, 0 to look only
--            clock    milliseconds since the epoch, or -1 for the server's own clock
--            cost     units asked for
--            least    the fewest units that will do (cost, unless fewer are welcome)
--            reserve  units to leave behind
--            capacity, rate, scale, as described below
--          or all of them in one argument, packed as little-endian doubles; or, for the usual call (mode 1, the
--          server's clock, least = cost, reserve 0), only cost and capacity, rate, scale, packed
-- reply    taken (units granted, -1 for a denial), now (milliseconds), then what follows from it:
--          used, dated, measure; plain numbers for plain arguments, otherwise packed;
--          those alone when the whole cost was granted and dated is now
--
-- A text argument, a number written as text and a number in a reply each cost the server more than a whole decision
-- costs in arithmetic: hence the packing. A TTL lasts from `life` to twice that and a second more.
--
-- A global costs the server more than a local: those that are used more than once become one.
local redis, struct, ARGV = redis, struct, ARGV
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local mode, clock, cost, least, reserve, capacity, rate, scale
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  mode, clock, cost, least, reserve, capacity, rate, scale = unpack(ARGV)
elseif #packed == 32 then
  cost, capacity, rate, scale = struct.unpack('<dddd', packed)
  mode, clock, least, reserve = 1, -1, cost, 0
else
  mode, clock, cost, least, reserve, capacity, rate, scale = struct.unpack('<dddddddd', packed)
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
local taken, redated, life = -1
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
-- Level, part 2: takes `cost` tokens, or as many as there are if `least` are.
local room = capacity - used - reserve * scale
if cost * scale <= room then
  taken = cost
elseif least * scale <= room then
  taken = math.floor(room / scale)
end
if taken > 0 and mode == 1 then used = used + taken * scale end
life = dated - now + used / rate
if mode == 1 then
  if taken > 0 or redated and taken < 0 then
    -- SETRANGE keeps a TTL that still fits: together with PTTL it costs the server less than SET with an expiry
    local fresh = struct.pack('<ddd', used, dated, measure)
    if ttl > life and ttl <= 2 * life + 1000 then
      call('SETRANGE', key, '0', fresh)
    else
      call('SET', key, fresh, 'PX', math.ceil(1.5 * life) + 1000)
    end
    if taken == cost and dated == now and not plain then return fresh end
  elseif state and ttl < life then
    call('PEXPIRE', key, math.ceil(1.5 * life) + 1000)
  end
end
if plain then return {taken, now, used, dated, measure} end
return struct.pack('<ddddd', taken, now, used, dated, measure)
