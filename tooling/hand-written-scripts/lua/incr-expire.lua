-- A script of the kind that people carry from project to project, with the faults of its kind: a counter that expires.
--
-- KEYS[1]  the counter
-- ARGV     limit, window (milliseconds)
-- reply    1 allowed, 0 denied
local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return count <= tonumber(ARGV[1]) and 1 or 0
