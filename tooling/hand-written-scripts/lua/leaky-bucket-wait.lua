-- A script of the kind that people carry from project to project, with the faults of its kind: a leaky bucket that
-- answers how long to wait.
--
-- KEYS[1]  when the last drop left
-- ARGV     milliseconds between drops, the application's time (milliseconds)
-- reply    0 allowed, otherwise how many milliseconds to wait before asking again
local interval, now = tonumber(ARGV[1]), tonumber(ARGV[2])
local last = tonumber(redis.call('GET', KEYS[1])) or 0
if now - last < interval then
  return last + interval - now
end
redis.call('SET', KEYS[1], ARGV[2])
return 0
