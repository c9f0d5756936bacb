-- Decides one call on several limits, of any of the algorithms below: all of them are charged, or none.
--
-- KEYS     for each limit its state for one key; then, if keys may have policies of their own, that policy; then, if it
--          blocks keys, the block
-- ARGV[1]  bytes and little-endian doubles:
--            a byte: 1 for the usual call, which is charged by the server's clock, otherwise 0 and
--              mode      1 to charge the call, 0 to look only
--              clock     milliseconds since the epoch, or -1 for the server's own clock
--            a byte: which of the algorithms below the first limit is of, and 128 more where it is asked in the usual way
--          then for each limit:
--            a byte that tells of the next limit as above; 0 where there is none
--            cost      units asked for
--            least     the fewest that will do: absent where it is asked in the usual way, as are the next five
--            reserve   units to leave behind
--            most      what one call can be granted at the most
--            perKey    1 where the key may have a policy of its own
--            blockFor  for how long a denial blocks the key, in milliseconds; 0 where only people do, -1 where nobody
--            its parameters; -1 each where it has none but those of its keys
-- reply    for each limit either 'b' and its facts, packed as above: all of `cost` was granted, and the date among them
--          is now; or 'w', then packed: taken (units granted, or what would be if all the others allowed it; -1 for a
--          denial, -2 while the key is blocked, -3 when both), now (milliseconds), when its block ends (milliseconds
--          since the epoch, 0 for none), its facts, and, if its keys may have policies, the parameters that decided
--
-- Each limit is brought to `now` and asked what it can grant; then it has the next one asked in the same way, and learns
-- from it whether all of them allow the call: only then anything is written. What waits for that answer waits in locals,
-- and what all need to know is handed on: tables and variables that functions share cost the server more than to decide.
local algorithms
$functions
algorithms = {$names}
local packed, mode, clock = ARGV[1], 1, -1
local isUsual, first, offset = struct.unpack('<BB', packed)
if isUsual == 0 then mode, clock, first, offset = struct.unpack('<ddB', packed, 2) end
local allowed, reply = algorithms[first % 128](packed, offset, first, 1, 1, mode, clock, true)
return reply or allowed
