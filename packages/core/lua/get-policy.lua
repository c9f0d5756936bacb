-- Reads the policy that a limit has for one key.
--
-- KEYS[1]  the policy
-- reply    its fields and values in turn; none where there is no policy
return redis.call('HGETALL', KEYS[1])
