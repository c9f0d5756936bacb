-- Forgets what a key has used.
--
-- KEYS[1]  the limit's state for one key
-- reply    how many states there were to forget: 1 or 0
return redis.call('DEL', KEYS[1])
