-- until when the key is blocked (0 where it is not), for how long it was, whether that was set when the clock was ahead,
-- and whether it is over, though its key has not expired
local block = call('GET', blockKey)
if block then
  local isWell
  if #block == 16 then
    blockedUntil, blockSpan = struct.unpack('<dd', block)
    isWell = blockedUntil % 1 + blockSpan % 1 == 0 and blockedUntil >= 0 and blockedUntil <= 9007199254740991
      and blockSpan >= 1 and blockSpan <= 4503599627370496
  end
  if not isWell then return redis.error_reply('SLUICESTATE $position this key holds no block of this limit') end
  if blockedUntil <= now then
    blockedUntil, isOver = 0, true
  elseif blockedUntil - now > blockSpan then
    blockedUntil, isAhead = now + blockSpan, true
  end
end
