-- Sliding log, policy: what people say, in what the other parts calculate with.
-- digits become a number when something is added to them, at half of what tonumber costs
limit, window = said1 + 0, said2 + 0
if limit > 281474976710654 then
  outside = {'limit', 'a whole number from 0 to 281474976710654', said1}
elseif window < 1 or window > 281474976710656 then
  outside = {'windowMs', 'a whole number from 1 to 281474976710656', said2}
end
