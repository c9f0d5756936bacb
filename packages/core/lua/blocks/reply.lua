local reply = 'w' .. struct.pack('<ddd$factsFormat', taken, now, blockedUntil, $facts)
if perKey == 1 then reply = reply .. struct.pack('<$parametersFormat', $parameters) end
