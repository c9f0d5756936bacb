-- Corrects an earlier grant on one limit: takes some of it back, or adds to it whatever the limit has left.
--
-- KEYS[1]  the limit's state for one key
-- KEYS[2]  if given, the key's own policy: it takes the place of the parameters
-- ARGV     the numbers below as plain text, one argument each; or all of them in one argument, packed as
--          little-endian doubles:
--            clock  milliseconds since the epoch, or -1 for the server's own clock
--            delta  units to add to the grant (above 0) or to take back (below 0)
--            limit, window, first, as described below
--            grantedUsed, grantedLast, grantedSince:
--                   what the grant replied; -1 each where nothing was granted
-- reply    0 (-1 when the debt would be too large to be counted exactly: nothing is changed), now (milliseconds),
--          then what follows from it: used, last, since; as plain numbers or packed, as the arguments came;
--          packed and with KEYS[2], the parameters that counted as well
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local clock, delta, limit, window, first, grantedUsed, grantedLast, grantedSince
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  clock, delta, limit, window, first, grantedUsed, grantedLast, grantedSince = unpack(ARGV)
else
  clock, delta, limit, window, first, grantedUsed, grantedLast, grantedSince = struct.unpack('<dddddddd', packed)
end
if KEYS[2] then
  local policyKey = KEYS[2]
  -- what a person has set for this key takes the place of what the call brought along
  local stored = call('HGETALL', policyKey)
  if #stored > 0 then
    -- in the order in which it is written from here; a person may have changed that, or broken it
    local said1, said2, said3
    if #stored == 6 then said1, said2, said3 = string.match(table.concat(stored, ' '), '^limit (%d+) windowMs (%d+) anchor (%a+)$') end
    if not said1 then
      local fields, problem = {['anchor'] = 'clock'}
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
      said1 = take('limit', '^%d+$', 'a whole number')
      said2 = take('windowMs', '^%d+$', 'a whole number')
      said3 = take('anchor', '^%a+$', 'a word')
      local stranger = pairs(fields)(fields)
      if stranger then refuse(stranger, fields[stranger], 'absent: the algorithm knows no such field') end
      if problem then return redis.error_reply('SLUICEPOLICY 1 ' .. problem) end
    end
    local outside
    -- Fixed window, policy: what people say, in what the other parts calculate with.
    limit, window = tonumber(said1), tonumber(said2)
    if limit > 9007199254740990 then
      outside = {'limit', 'a whole number from 0 to 9007199254740990', said1}
    elseif window < 1 or window > 4503599627370496 then
      outside = {'windowMs', 'a whole number from 1 to 4503599627370496', said2}
    elseif said3 ~= 'clock' and said3 ~= 'first' then
      outside = {'anchor', '"clock" or "first"', said3}
    end
    first = said3 == 'first' and 1 or 0
    if outside then
      return redis.error_reply(string.format('SLUICEPOLICY 1 %s must be %s, got "%s"', unpack(outside)))
    end
  elseif limit < 0 then
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
local used, last, since
if state then
  if #state ~= 24 then return redis.error_reply('SLUICESTATE 1 this key holds no state of this limit') end
  used, last, since = struct.unpack('<ddd', state)
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
local answer = refused and -1 or 0
if plain then return {answer, now, used, last, since} end
local reply = struct.pack('<ddddd', answer, now, used, last, since)
return KEYS[2] and reply .. struct.pack('<ddd', limit, window, first) or reply
