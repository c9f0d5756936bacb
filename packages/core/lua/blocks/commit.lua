if mode == 1 then
  if taken > 0 or redated and taken < 0 then
    $write
    $brief
  elseif state and ttl < life then
    call('PEXPIRE', key, math.ceil(1.5 * life) + 1000)
  end
end
