-- Forgets what a key has used.
--
-- KEYS   the limit's state for one key, and the block of that key if it is to end
-- reply  how many of them there were
return redis.call('DEL', unpack(KEYS))
