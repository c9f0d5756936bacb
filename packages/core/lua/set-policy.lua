-- Sets the policy that a limit has for one key, or takes it away. It is configuration: no TTL.
--
-- KEYS[1]  the policy
-- ARGV     its fields and values in turn; none to take it away
-- reply    1
local call = redis.call
call('DEL', KEYS[1])
if #ARGV > 0 then call('HSET', KEYS[1], unpack(ARGV)) end
return 1
