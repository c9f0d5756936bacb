-- A script of the kind that people carry from project to project, with the faults of its kind: makes a bucket.
--
-- KEYS[1]  the bucket
-- ARGV     capacity, rate, period (milliseconds), the application's time (milliseconds)
redis.call('HSET', KEYS[1], 'capacity', ARGV[1], 'rate', ARGV[2], 'period', ARGV[3])
redis.call('HSET', KEYS[1], 'tokens', ARGV[1], 'timestamp', ARGV[4])
