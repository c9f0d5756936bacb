-- A script of the kind that people carry from project to project, with the faults of its kind: how full a bucket is.
--
-- KEYS[1]  the bucket, with a member for each drop
-- ARGV     window (milliseconds), the application's time (milliseconds)
-- reply    how many drops are in it
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[2] - ARGV[1])
return redis.call('ZCARD', KEYS[1])
