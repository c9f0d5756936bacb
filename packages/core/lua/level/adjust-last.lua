-- Level of a queue, before part 3: a slot is given back only when it is the last, since those behind it are promised.
if delta < 0 and grantedDated >= 0 then
  local last = grantedUsed - math.max(0, dated - grantedDated) * rate
  if used ~= math.max(0, last) then delta = 0 end
end
