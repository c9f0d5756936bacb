-- Corrects an earlier grant on one limit: takes some of it back, or adds to it whatever the limit has left.
--
-- KEYS[1]  the limit's state for one key
-- KEYS[2]  if given, the key's own policy: it takes the place of the parameters
-- ARGV     the numbers below as plain text, one argument each; or all of them in one argument, packed as
--          little-endian doubles:
--            clock  milliseconds since the epoch, or -1 for the server's own clock
--            delta  units to add to the grant (above 0) or to take back (below 0)
--            capacity, rate, scale, as described below
--            grantedUsed, grantedDated, grantedMeasure:
--                   what the grant replied; -1 each where nothing was granted
-- reply    0 (-1 when the debt would be too large to be counted exactly: nothing is changed), now (milliseconds),
--          then what follows from it: used, dated, measure; as plain numbers or packed, as the arguments came;
--          packed and with KEYS[2], the parameters that counted as well
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local clock, delta, capacity, rate, scale, grantedUsed, grantedDated, grantedMeasure
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  clock, delta, capacity, rate, scale, grantedUsed, grantedDated, grantedMeasure = unpack(ARGV)
else
  clock, delta, capacity, rate, scale, grantedUsed, grantedDated, grantedMeasure = struct.unpack('<dddddddd', packed)
end
if KEYS[2] then
  local policyKey = KEYS[2]
  -- what a person has set for this key takes the place of what the call brought along
  local stored = call('HGETALL', policyKey)
  if #stored > 0 then
    -- in the order in which it is written from here; a person may have changed that, or broken it
    local said1, said2, said3
    if #stored == 6 then said1, said2, said3 = string.match(table.concat(stored, ' '), '^capacity (%d+) leak%.tokens (%d+) leak%.everyMs (%d+)$') end
    if not said1 then
      local fields, problem = {}
      for i = 1, #stored, 2 do fields[stored[i]] = stored[i + 1] end
      local function refuse(name, text, expected)
        local got = text and '"' .. string.sub(text, 1, 80) .. '"' or 'nothing'
        problem = problem or string.gsub(string.format('%s must be %s, got %s', name, expected, got), '%c', '?')
      end
      local function take(name, pattern, expected)
        local text = fields[name]
        fields[name] = nil
        if text and string.match(text, pattern) then return text end
        refuse(name, text, expected)
      end
      said1 = take('capacity', '^%d+$', 'a whole number')
      said2 = take('leak.tokens', '^%d+$', 'a whole number')
      said3 = take('leak.everyMs', '^%d+$', 'a whole number')
      local stranger = pairs(fields)(fields)
      if stranger then refuse(stranger, fields[stranger], 'absent: the algorithm knows no such field') end
      if problem then return redis.error_reply('SLUICEPOLICY 1 ' .. problem) end
    end
    local outside
    -- Level, policy: what people say in tokens, in what the other parts calculate with.
    local tokens, every = tonumber(said2), tonumber(said3)
    if tokens < 1 or tokens > 9007199254740991 then
      outside = {'leak.tokens', 'a whole number from 1 to 9007199254740991', said2}
    elseif every < 1 or every > 4503599627370496 then
      outside = {'leak.everyMs', 'a whole number from 1 to 4503599627370496', said3}
    else
      local shared, rest = tokens, every
      while rest > 0 do shared, rest = rest, shared % rest end
      rate, scale = tokens / shared, every / shared
      local largest = math.floor(math.min(9007199254740991, 4503599627370496 * rate) / scale) - 0
      if tonumber(said1) > largest then
        outside = {'capacity', string.format('a whole number from 0 to %.0f', largest), said1}
      end
      capacity = (tonumber(said1) + 0) * scale
    end
    if outside then
      return redis.error_reply(string.format('SLUICEPOLICY 1 %s must be %s, got "%s"', unpack(outside)))
    end
  elseif capacity < 0 then
    return redis.error_reply('SLUICENOPOLICY 1 no policy is set for this key')
  end
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
  if #state ~= 24 then return redis.error_reply('SLUICESTATE 1 this key holds no state of this limit') end
  used, dated, measure = struct.unpack('<ddd', state)
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
local answer = refused and -1 or 0
if plain then return {answer, now, used, dated, measure} end
local reply = struct.pack('<ddddd', answer, now, used, dated, measure)
return KEYS[2] and reply .. struct.pack('<ddd', capacity, rate, scale) or reply
