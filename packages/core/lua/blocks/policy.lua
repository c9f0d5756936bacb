-- what a person has set for this key takes the place of what the call brought along
local stored = call('HGETALL', policyKey)
if stored[1] then
  -- in the order in which it is written from here; a person may have changed that, or broken it
  local $said
  if #stored == $fieldWords and $namesInOrder then $said = $valuesInOrder end
  -- no word has a space in it: joined by spaces they tell whether each of them is one
  if not (said1 and string.find($saidJoined, '$pattern')) then
    local fields, problem = {$defaults}
    for i = 1, #stored, 2 do fields[stored[i]] = stored[i + 1] end
    local function refuse(name, text, expected)
      local got = text and '"' .. string.sub(text, 1, 80) .. '"' or 'nothing'
      problem = problem or string.gsub(string.format('%s must be %s, got %s', name, expected, got), '%c', '?')
    end
    local function take(name, pattern, expected)
      local text = fields[name]
      fields[name] = nil
      if text and string.match(text, pattern) then return text end
      refuse(name, text, expected)
    end
    $take
    local stranger = pairs(fields)(fields)
    if stranger then refuse(stranger, fields[stranger], 'absent: the algorithm knows no such field') end
    if problem then return redis.error_reply('SLUICEPOLICY $position ' .. problem) end
  end
  local outside
  $policy
  if outside then
    return redis.error_reply(string.format('SLUICEPOLICY $position %s must be %s, got "%s"', unpack(outside)))
  end
elseif $someParameter < 0 then
  return redis.error_reply('SLUICENOPOLICY $position no policy is set for this key')
end
