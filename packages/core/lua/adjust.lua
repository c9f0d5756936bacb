-- Corrects an earlier grant on one limit: takes some of it back, or adds to it whatever the limit has left.
--
-- KEYS[1]  the limit's state for one key
-- ARGV     the numbers below as plain text, one argument each; or all of them in one argument, packed as
--          little-endian doubles:
--            clock  milliseconds since the epoch, or -1 for the server's own clock
--            delta  units to add to the grant (above 0) or to take back (below 0)
--            $parameters, as described below
--            $granted:
--                   what the grant replied; -1 each where nothing was granted
-- reply    0 (-1 when the debt would be too large to be counted exactly: nothing is changed), now (milliseconds),
--          then what follows from it: $facts; as plain numbers or packed, as the arguments came
--
-- A global costs the server more than a local: those that are used more than once become one.
local redis, struct, ARGV = redis, struct, ARGV
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local clock, delta, $parameters, $granted
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  clock, delta, $parameters, $granted = unpack(ARGV)
else
  clock, delta, $parameters, $granted = struct.unpack('<dd$parametersFormat$factsFormat', packed)
end
$keyedPolicy
local key, now, ttl = KEYS[1], clock, -1
$read
$clock
$load
local redated, life, refused
$level
$adjust
if refused then
  -- nothing is written
elseif life > 0 then
  $write
elseif state then
  call('DEL', key)
end
local taken = refused and -1 or 0
if plain then return {taken, now, $facts} end
$keyedReply
return struct.pack('<dd$factsFormat', taken, now, $facts)
