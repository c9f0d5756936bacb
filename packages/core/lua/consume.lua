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
-- reply    taken (units granted, -1 for a denial), now (milliseconds), then what follows from it:
--          $facts; plain numbers for plain arguments, otherwise packed$briefly
--
-- A text argument, a number written as text and a number in a reply each cost the server more than a whole decision
-- costs in arithmetic: hence the packing. A TTL lasts from `life` to twice that and a second more.
--
-- A global costs the server more than a local: those that are used more than once become one.
local redis, struct, ARGV = redis, struct, ARGV
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
$keyedPolicy
$keyedBounds
local key, now, ttl = KEYS[1], clock, -1
$read
$clock
$load
local taken, redated, life = -1
$level
$consume
$commit
if plain then return {taken, now, $facts} end
$keyedReply
return struct.pack('<dd$factsFormat', taken, now, $facts)
