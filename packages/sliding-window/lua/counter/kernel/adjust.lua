-- Sliding counter, part 3: makes a grant larger or smaller by `delta` units. What is given back is given in the window
-- it was taken in, or not at all; what is added counts in that window as long as it weighs.
local lastStart = last - last % window
if grantedLast < 0 then
  held = math.max(0, math.min(held + delta, 9007199254740991))
  current, previous, last = held, before, at
elseif grantedLast >= lastStart then
  if delta > 0 or lastStart == start then
    current = math.max(0, math.min(current + delta, 9007199254740991))
  end
elseif grantedLast >= lastStart - window and delta > 0 then
  previous = math.min(previous + delta, 9007199254740991)
end
held, before = 0, 0
if last >= start then
  held, before = current, previous
elseif last >= start - window then
  before = current
end
life = held > 0 and at - now + rest + window or before > 0 and at - now + rest or 0
