local $state
if state then
  if #state == $stateBytes then $state = struct.unpack('<$stateFormat', state) end
  -- whole numbers from 0 to 2^53 - 1, or somebody else has written them: what follows must not fail
  if not ($someState and $wholes == 0 and $inRange) then
    return redis.error_reply('SLUICESTATE $position this key holds no state of this limit')
  end
end
