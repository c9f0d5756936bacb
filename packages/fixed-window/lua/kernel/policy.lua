-- Fixed window, policy: what people say, in what the other parts calculate with.
-- digits become a number when something is added to them, at half of what tonumber costs
limit, window = said1 + 0, said2 + 0
if limit > 9007199254740990 then
  outside = {'limit', 'a whole number from 0 to 9007199254740990', said1}
elseif window < 1 or window > 4503599627370496 then
  outside = {'windowMs', 'a whole number from 1 to 4503599627370496', said2}
elseif said3 ~= 'clock' and said3 ~= 'first' then
  outside = {'anchor', '"clock" or "first"', said3}
end
first = said3 == 'first' and 1 or 0
