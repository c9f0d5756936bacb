-- Decides one call on one limit and, if it is allowed, charges it.
--
-- KEYS[1]  the limit's state for one key
-- ARGV     the numbers below, one argument each, as plain text:
--            mode     1 to charge the call, 0 to look only
--            clock    milliseconds since the epoch, or -1 for the server's own clock
--            cost     units asked for
--            least    the fewest units that will do (cost, unless fewer are welcome)
--            reserve  units to leave behind
--            $parameters, as described below
--          or all of them in one argument, packed as little-endian doubles; or, for the usual call (mode 1, the
--          server's clock, least = cost, reserve 0), only cost and $parameters, packed
-- reply    taken (units granted, -1 for a denial), now (milliseconds), then the state that follows:
--          $state; plain numbers for plain arguments, otherwise packed$briefly
--
-- A text argument, a number written as text and a number in a reply each cost the server more than a whole decision
-- costs in arithmetic: hence the packing. SETRANGE keeps a TTL that still fits, and with PTTL before it costs less
-- than SET with an expiry. A TTL lasts from `life` to twice that and a second more.
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local mode, clock, cost, least, reserve, $parameters
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  mode, clock, cost, least, reserve, $parameters = unpack(ARGV)
elseif #packed == $usualBytes then
  cost, $parameters = struct.unpack('<d$parametersFormat', packed)
  mode, clock, least, reserve = 1, -1, cost, 0
else
  mode, clock, cost, least, reserve, $parameters = struct.unpack('<ddddd$parametersFormat', packed)
end
local key, now, ttl = KEYS[1], clock, -1
local state = call('GET', key)
if state then
  ttl = call('PTTL', key)
  -- when the key expires, less the time until then, is now: cheaper than TIME, and Redis has it since 7.0
  if now < 0 and ttl > 0 and redis.REDIS_VERSION_NUM then now = call('PEXPIRETIME', key) - ttl end
end
if now < 0 then
  local time = call('TIME')
  local ms = time[2] / 1000
  now = time[1] * 1000 + (ms - ms % 1)
end
local $state
if state then
  if #state ~= $stateBytes then return redis.error_reply('SLUICESTATE this key holds no state of this limit') end
  $state = struct.unpack('<$stateFormat', state)
end
local taken, redated, life = -1
$level
$consume
if mode == 1 then
  if taken > 0 or redated and taken < 0 then
    local fresh = struct.pack('<$stateFormat', $state)
    if ttl > life and ttl <= 2 * life + 1000 then
      call('SETRANGE', key, '0', fresh)
    else
      call('SET', key, fresh, 'PX', math.ceil(1.5 * life) + 1000)
    end
    $brief
  elseif state and ttl < life then
    call('PEXPIRE', key, math.ceil(1.5 * life) + 1000)
  end
end
if plain then return {taken, now, $state} end
return struct.pack('<dd$stateFormat', taken, now, $state)
