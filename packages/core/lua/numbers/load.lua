local $state
if state then
  if #state ~= $stateBytes then return redis.error_reply('SLUICESTATE $position this key holds no state of this limit') end
  $state = struct.unpack('<$stateFormat', state)
end
