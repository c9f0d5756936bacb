-- A script of the kind that people carry from project to project, with the faults of its kind: a sliding window whose
-- members are the timestamps.
--
-- KEYS[1]  the log
-- ARGV     limit, window (milliseconds), the application's time (milliseconds)
-- reply    1 allowed, 0 denied
local limit, window, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - window)
redis.call('ZADD', KEYS[1], now, now)
redis.call('PEXPIRE', KEYS[1], window)
return redis.call('ZCARD', KEYS[1]) <= limit and 1 or 0
