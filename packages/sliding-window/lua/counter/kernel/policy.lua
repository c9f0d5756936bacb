-- Sliding counter, policy: what people say, in what the other parts calculate with.
limit, window = tonumber(said1), tonumber(said2)
if limit > 9007199254740990 then
  outside = {'limit', 'a whole number from 0 to 9007199254740990', said1}
elseif window < 1 or window > 68719476735 then
  outside = {'windowMs', 'a whole number from 1 to 68719476735', said2}
end
