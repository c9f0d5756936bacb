-- Sliding log, policy: what people say, in what the other parts calculate with.
limit, window = tonumber(said1), tonumber(said2)
if limit > 281474976710654 then
  outside = {'limit', 'a whole number from 0 to 281474976710654', said1}
elseif window < 1 or window > 281474976710656 then
  outside = {'windowMs', 'a whole number from 1 to 281474976710656', said2}
end
