-- $id: returns whether all limits from this one on allow the call, and what they reply; or an error alone. With
-- `unreserved`, only what it would grant if nothing were kept in reserve.
local function $name(packed, offset, code, position, keyIndex, charge, now, allowed, unreserved)
  local call, struct, entry, ownKey = redis.call, struct, offset, keyIndex
  local next, cost, least, reserve, most, perKey, blockFor, $parameters
  if code > 128 then
    next, cost, $parameters, offset = struct.unpack('<Bd$parametersFormat', packed, offset)
    least, reserve, blockFor = cost, 0, -1
  else
    next, cost, least, reserve, most, perKey, blockFor, $parameters, offset =
      struct.unpack('<Bdddddd$parametersFormat', packed, offset)
  end
  local key, ttl = KEYS[keyIndex], -1
  local policyKey, blockKey
  keyIndex = keyIndex + 1
  if perKey == 1 then
    policyKey, keyIndex = KEYS[keyIndex], keyIndex + 1
    $perKey
    most = $most
    $bound
  end
  if unreserved then reserve = 0 end
  $read
  $clock
  $load
  local taken, redated, life = -1
  $level
  local blockedUntil, blockSpan, isAhead, isOver = 0
  if blockFor >= 0 then
    blockKey, keyIndex = KEYS[keyIndex], keyIndex + 1
    $readBlock
  end
  local mode = 0
  $consume
  if unreserved then return taken end
  if blockedUntil > 0 then taken = taken < 0 and -3 or -2 end
  local all, others = allowed and taken >= 0, ''
  if next > 0 then
    all, others = algorithms[next % 128](packed, offset, next, position + 1, keyIndex, charge, now, all)
    -- an error
    if not others then return all end
  end
  -- somebody has taken its TTL
  if isOver and charge == 1 and call('PTTL', blockKey) == -1 then call('DEL', blockKey) end
  if all and charge == 1 and taken > 0 then
    mode = 1
    $consume
    $write
    $brief
    $reply
    return all, reply .. others
  end
  if charge == 1 then
    if redated and taken < 0 then
      $write
    elseif state and ttl < life then
      call('PEXPIRE', key, math.ceil(1.5 * life) + 1000)
    end
    if isAhead then call('SET', blockKey, struct.pack('<dd', blockedUntil, blockSpan), 'PX', blockSpan) end
    -- who is denied by the limit itself: not for the sake of a reserve, nor for asking for nothing, or more than there is
    local blocks = taken == -1 and blockFor > 0 and cost > 0 and least + reserve <= most
    if blocks and (reserve == 0 or $name(packed, entry, code, position, ownKey, 0, now, true, true) < 0) then
      blockedUntil = now + blockFor
      call('SET', blockKey, struct.pack('<dd', blockedUntil, blockFor), 'PX', blockFor)
    end
  end
  $reply
  return all, reply .. others
end
