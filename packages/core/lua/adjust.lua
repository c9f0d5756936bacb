-- Corrects an earlier grant on one limit: takes some of it back, or adds to it whatever the limit has left.
--
-- KEYS[1]  the limit's state for one key
-- ARGV     the numbers below as plain text, one argument each; or all of them in one argument, packed as
--          little-endian doubles:
--            clock  milliseconds since the epoch, or -1 for the server's own clock
--            delta  units to add to the grant (above 0) or to take back (below 0)
--            $parameters, as described below
--            $granted: the state that the grant left behind; -1 each where nothing was granted
-- reply    0, now (milliseconds), then the state that follows: $state;
--          as plain numbers or packed, as the arguments came
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local clock, delta, $parameters, $granted
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  clock, delta, $parameters, $granted = unpack(ARGV)
else
  clock, delta, $parameters, $granted = struct.unpack('<dd$parametersFormat$stateFormat', packed)
end
local key, now = KEYS[1], clock
local state = call('GET', key)
if state then
  local ttl = call('PTTL', key)
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
local redated, life
$level
$adjust
if life > 0 then
  call('SET', key, struct.pack('<$stateFormat', $state), 'PX', math.ceil(1.5 * life) + 1000)
elseif state then
  call('DEL', key)
end
if plain then return {0, now, $state} end
return struct.pack('<dd$stateFormat', 0, now, $state)
