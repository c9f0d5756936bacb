-- SETRANGE keeps a TTL that still fits: together with PTTL it costs the server less than SET with an expiry
local fresh = struct.pack('<$stateFormat', $state)
if ttl > life and ttl <= 2 * life + 1000 then
  call('SETRANGE', key, '0', fresh)
else
  call('SET', key, fresh, 'PX', math.ceil(1.5 * life) + 1000)
end
