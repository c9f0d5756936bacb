-- Level, part 3: makes an earlier grant larger or smaller by `delta` tokens, as far as it still weighs.
local units = math.abs(delta) * scale
local weighs = units
if grantedDated >= 0 then
  -- of the level that the grant left behind, what has not come back since
  local level = grantedUsed + math.max(0, delta * scale)
  refused = level > 9007199254740991
  weighs = math.min(units, math.max(0, level - math.max(0, dated - grantedDated) * rate))
  -- a clock that stepped far back has re-dated what is used: whose it is can no longer be told
  if delta < 0 and dated < grantedDated then weighs = 0 end
end
if delta < 0 then
  used = math.max(0, used - weighs)
elseif refused or weighs > 9007199254740991 - used then
  refused = true
else
  used = used + weighs
end
life = used > 0 and dated - now + used / rate or 0
