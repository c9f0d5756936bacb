-- Level, policy: what people say in tokens, in what the other parts calculate with.
-- digits become a number when something is added to them, at half of what tonumber costs
local said, tokens, every = said1 + 0, said2 + 0, said3 + 0
if tokens < 1 or tokens > 9007199254740991 then
  outside = {'$rate.tokens', 'a whole number from 1 to 9007199254740991', said2}
elseif every < 1 or every > 4503599627370496 then
  outside = {'$rate.everyMs', 'a whole number from 1 to 4503599627370496', said3}
else
  local shared, rest = tokens, every
  while rest > 0 do shared, rest = rest, shared % rest end
  rate, scale = tokens / shared, every / shared
  capacity = (said + $beyond) * scale
  if capacity > 9007199254740991 or capacity > 4503599627370496 * rate then
    local largest = math.floor(math.min(9007199254740991, 4503599627370496 * rate) / scale) - $beyond
    outside = {'capacity', string.format('a whole number from 0 to %.0f', largest), said1}
  end
end
