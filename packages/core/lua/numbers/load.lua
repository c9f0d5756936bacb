local $state
if state then
  if #state == $stateBytes then $state = struct.unpack('<$stateFormat', state) end
  -- whole and in range, or somebody else has written them: what follows must not fail
  if not ($oneOfState and $allWell) then
    return redis.error_reply('SLUICESTATE $position this key holds no state of this limit')
  end
end
