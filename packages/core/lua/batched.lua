-- $id: decides one call; returns what kind of reply it is, and the reply.
local function $one(key, now, mode, cost, least, reserve, $parameters)
  local ttl = -1
  $read
  $clock
  $load
  local taken, redated, life = -1
  $level
  $consume
  $commit
  return 'w', struct.pack('<dd$factsFormat', taken, now, $facts)
end
-- The calls of one run; returns where the next one begins.
local function $name(packed, offset, isUsual, done, count, now, kinds, replies)
  local mode, reserve, cost, least, $parameters = 1, 0
  if isUsual then
    cost, $parameters, offset = struct.unpack('<d$parametersFormat', packed, offset)
    least = cost
  else
    cost, mode, least, reserve, $parameters, offset = struct.unpack('<dddd$parametersFormat', packed, offset)
  end
  for i = done + 1, done + count do
    local isWell, kind, reply = pcall($one, KEYS[i], now, mode, cost, least, reserve, $parameters)
    if not (isWell and reply) then
      local problem = problemOf(kind)
      kind, reply = 'e', struct.pack('<H', #problem) .. problem
    end
    kinds[i], replies[i] = kind, reply
  end
  return offset
end
