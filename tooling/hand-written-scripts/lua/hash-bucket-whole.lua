-- A script of the kind that people carry from project to project, with the faults of its kind: a token bucket in a hash
-- that counts in whole tokens.
--
-- KEYS[1]  the bucket
-- ARGV     capacity, milliseconds that a token takes to come back, the application's time (milliseconds)
-- reply    1 allowed, 0 denied
local capacity, interval, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'timestamp')
local tokens = tonumber(bucket[1]) or capacity
local timestamp = tonumber(bucket[2]) or now
tokens = math.min(capacity, tokens + math.floor((now - timestamp) / interval))
local allowed = tokens >= 1
if allowed then tokens = tokens - 1 end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'timestamp', now)
return allowed and 1 or 0
