-- Sliding counter, policy: what people say, in what the other parts calculate with.
-- digits become a number when something is added to them, at half of what tonumber costs
limit, window = said1 + 0, said2 + 0
if limit > 9007199254740990 then
  outside = {'limit', 'a whole number from 0 to 9007199254740990', said1}
elseif window < 1 or window > 68719476735 then
  outside = {'windowMs', 'a whole number from 1 to 68719476735', said2}
end
