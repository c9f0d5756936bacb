-- until when the key is blocked (0 where it is not), for how long it was, and whether that was set when the clock was ahead
local block = call('GET', blockKey)
if block then
  if #block ~= 16 then return redis.error_reply('SLUICESTATE $position this key holds no block of this limit') end
  blockedUntil, blockSpan = struct.unpack('<dd', block)
  if blockedUntil <= now then
    blockedUntil = 0
  elseif blockedUntil - now > blockSpan then
    blockedUntil, isAhead = now + blockSpan, true
  end
end
