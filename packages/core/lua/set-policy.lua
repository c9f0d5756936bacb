-- Sets the policy that a limit has for one key, or takes it away. It is configuration: no TTL.
--
-- KEYS[1]  the policy
-- ARGV     its fields and values in turn; none to take it away
-- reply    1
local call, key = redis.call, KEYS[1]
if #ARGV == 0 then
  call('DEL', key)
  return 1
end
-- what is there is never given up before the new one is written: fields of other names go, the rest is replaced
local fields, strangers = {}, {}
for i = 1, #ARGV, 2 do fields[ARGV[i]] = true end
local stored = redis.pcall('HGETALL', key)
if stored.err then
  if not string.find(stored.err, 'WRONGTYPE') then return stored end
  -- no policy at all
  call('DEL', key)
end
for i = 1, #stored, 2 do
  if not fields[stored[i]] then table.insert(strangers, stored[i]) end
end
if #strangers > 0 then call('HDEL', key, unpack(strangers)) end
call('HSET', key, unpack(ARGV))
return 1
