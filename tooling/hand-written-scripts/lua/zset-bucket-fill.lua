-- A script of the kind that people carry from project to project, with the faults of its kind: puts a drop in a bucket.
--
-- KEYS[1]  the bucket, with a member for each drop
-- ARGV     window (milliseconds), the application's time (milliseconds), a name for the drop
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return redis.call('ZCARD', KEYS[1])
