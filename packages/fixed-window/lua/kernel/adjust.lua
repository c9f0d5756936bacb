-- Fixed window, part 3: makes a grant larger or smaller by `delta` units if its window is not over.
if grantedLast < 0 then
  used, last = math.max(0, math.min(used + delta, 9007199254740991)), at
elseif grantedLast >= start then
  used = math.max(0, math.min(used + delta, 9007199254740991))
end
life = used > 0 and start + window - now or 0
