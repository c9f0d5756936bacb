-- Decides calls on one limit each, of any of the algorithms below: each by itself, in order, at one time.
--
-- KEYS     for each call the limit's state for one key
-- ARGV[1]  bytes and little-endian doubles:
--            clock     milliseconds since the epoch, or -1 for the server's own clock
--          then for each run of calls that differ in their keys alone:
--            a byte: which of the algorithms below they are of, and 128 more where they are asked in the usual way
--            a byte: how many they are
--            cost      units asked for
--            mode      1 to charge the calls, 0 to look only: absent where they are asked in the usual way, which is to
--                      charge them, as are the next two
--            least     the fewest units that will do: otherwise `cost`
--            reserve   units to leave behind: otherwise 0
--            the parameters of the limit
-- reply    a byte for each call, and then for each what that byte says:
--            'b'  its facts, packed as above: all of `cost` was granted, and the date among them is now
--            'w'  packed: taken (units granted, -1 for a denial), now (milliseconds), its facts
--            'e'  an error of this one alone: its length as two bytes, and its text
local call, struct = redis.call, struct

-- What went wrong with one call, as the server would have said it. Before Redis 7 it comes as a text, behind the place in
-- this script.
local function problemOf(caught)
  local problem = type(caught) == 'table' and caught.err or tostring(caught)
  problem = string.gsub(string.gsub(problem, '^@?user_script: ?%d+: %-?', ''), '[\r\n]+$', '')
  return string.match(problem, '^%-?%u[%u%d]+ ') and problem or 'ERR ' .. problem
end
$functions
local algorithms = {$names}
local packed = ARGV[1]
local now, offset = struct.unpack('<d', packed)
if now < 0 then
  $serverTime
end
local kinds, replies, done = {}, {}, 0
while done < #KEYS do
  local code, count
  code, count, offset = struct.unpack('<BB', packed, offset)
  offset = algorithms[code % 128](packed, offset, code > 128, done, count, now, kinds, replies)
  done = done + count
end
return table.concat(kinds) .. table.concat(replies)
