-- Level, before part 3: the grant may have been counted at another rate.
if grantedDated >= 0 and grantedMeasure ~= scale then
  local units, from = grantedUsed, grantedMeasure
  $rescale
  grantedUsed = units
end
