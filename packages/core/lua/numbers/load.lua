local $state
if state then
  local isWell = #state == $stateBytes
  if isWell then
    $state = struct.unpack('<$stateFormat', state)
    -- whole and in range, or somebody else has written them: what follows must not fail
    local all = $stateInOne
    isWell = all % 1 == 0 and all < 1e18 and $noneBelow0
  end
  if not isWell then return redis.error_reply('SLUICESTATE $position this key holds no state of this limit') end
end
