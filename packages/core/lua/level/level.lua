-- Level, part 1: brings the stored level to `now`. A bucket refills, a meter and a queue leak: it is all one.
--
-- A token is counted in units small enough for a whole number of them to come back in a millisecond. The level is
-- what is used, so that a missing key is an unused limit and a changed capacity keeps what is used.
--
-- parameters  capacity  units that can be used
--             rate      units that come back in a millisecond
--             scale     units in a token
-- state       used      units used up at `dated`; beyond `capacity` it is debt
--             dated     milliseconds since the epoch
--             measure   the scale in which `used` is counted
if not state then
  used, dated, measure = 0, now, scale
else
  if measure ~= scale then
    if not (measure >= 1 and measure % 1 == 0 and measure < 1e17) then
      return redis.error_reply('SLUICESTATE $position this key holds no state of this limit')
    end
    local units, from = used, measure
    $rescale
    used, measure = units, scale
  end
  if dated < now then
    -- a product beyond 2^53 is rounded, and beyond any level all the same
    used = used - (now - dated) * rate
    if used < 0 then used = 0 end
    dated = now
  elseif dated - now > math.ceil(capacity / rate) then
    -- it was written when the clock was far ahead
    dated, redated = now, true
  end
end
