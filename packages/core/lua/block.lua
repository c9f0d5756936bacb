-- Blocks a key of one limit by hand, or ends its block.
--
-- KEYS[1]  the block
-- ARGV[1]  packed as little-endian doubles: clock (milliseconds since the epoch, or -1 for the server's own clock), and
--          for how long to block from now on, in milliseconds; 0 ends the block
-- reply    1
local call = redis.call
local now, span = struct.unpack('<dd', ARGV[1])
if span == 0 then
  call('DEL', KEYS[1])
  return 1
end
if now < 0 then
  $serverTime
end
call('SET', KEYS[1], struct.pack('<dd', now + span, span), 'PX', span)
return 1
