-- Level, part 3: makes an earlier grant larger or smaller by `delta` tokens, as far as it still weighs.
local units = math.min(math.abs(delta) * scale, 9007199254740991)
local weighs = units
if grantedDated >= 0 then
  -- of the level that the grant left behind, what has not come back since
  local level = grantedUsed
  if delta > 0 then level = math.min(level + units, 9007199254740991) end
  level = math.max(0, level - math.max(0, dated - grantedDated) * rate)
  weighs = math.min(units, level)
end
if delta < 0 then
  used = math.max(0, used - weighs)
else
  used = math.min(used + weighs, 9007199254740991)
end
life = used > 0 and dated - now + used / rate or 0
