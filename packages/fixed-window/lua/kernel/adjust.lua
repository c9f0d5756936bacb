-- Fixed window, part 3: makes a grant larger or smaller by `delta` units if it is one of those that are counted; or,
-- where nothing was granted, what is used.
if grantedLast < 0 or used > 0 and grantedLast >= since and grantedLast <= last then
  if used + delta > 9007199254740991 then
    refused = true
  else
    used = math.max(0, used + delta)
    if grantedLast < 0 and delta > 0 then last = at end
  end
end
life = used > 0 and start + window - now or 0
