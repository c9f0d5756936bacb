-- A script of the kind that people carry from project to project, with the faults of its kind: a token bucket in a hash
-- that also says how large it is and how fast it fills.
--
-- KEYS[1]  the bucket
-- ARGV     the application's time (milliseconds)
-- reply    tokens that were there, 0 denied, -1 where there is no such bucket
local fields = redis.call('HMGET', KEYS[1], 'capacity', 'rate', 'period', 'tokens', 'timestamp')
if not fields[1] then return -1 end
local capacity, rate, period = tonumber(fields[1]), tonumber(fields[2]), tonumber(fields[3])
local tokens, timestamp, now = tonumber(fields[4]), tonumber(fields[5]), tonumber(ARGV[1])
tokens = math.min(capacity, tokens + (now - timestamp) * rate / period)
if tokens < 1 then return 0 end
redis.call('HSET', KEYS[1], 'tokens', tokens - 1, 'timestamp', now)
return tokens
