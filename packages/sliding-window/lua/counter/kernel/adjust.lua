-- Sliding counter, part 3: makes a grant larger or smaller by `delta` units. What is given back is given in the window
-- it was taken in, or not at all; what is added counts in that window as long as it weighs.
local lastStart, more, moreBefore = last - last % window, 0, 0
if grantedLast < 0 then
  current, previous, last, more = held, before, at, delta
elseif delta < 0 then
  -- its window must be the present one as it was measured then and as it is now
  local isHeld = grantedLast - grantedLast % window == start and lastStart == start
  local isOver = at - at % grantedWidth ~= grantedLast - grantedLast % grantedWidth
  if isHeld and not isOver then more = delta end
elseif grantedLast >= lastStart then
  more = delta
elseif grantedLast >= lastStart - window then
  moreBefore = delta
end
if math.max(current + more, previous + moreBefore) > 9007199254740991 then
  refused = true
else
  current, previous = math.max(0, current + more), previous + moreBefore
end
held, before = 0, 0
if last >= start then
  held, before = current, previous
elseif last >= start - window then
  before = current
end
life = held > 0 and at - now + rest + window or before > 0 and at - now + rest or 0
