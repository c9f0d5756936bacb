-- Level, policy: what people say in tokens, in what the other parts calculate with.
local tokens, every = tonumber(said2), tonumber(said3)
if tokens < 1 or tokens > 9007199254740991 then
  outside = {'$rate.tokens', 'a whole number from 1 to 9007199254740991', said2}
elseif every < 1 or every > 4503599627370496 then
  outside = {'$rate.everyMs', 'a whole number from 1 to 4503599627370496', said3}
else
  local shared, rest = tokens, every
  while rest > 0 do shared, rest = rest, shared % rest end
  rate, scale = tokens / shared, every / shared
  local largest = math.floor(math.min(9007199254740991, 4503599627370496 * rate) / scale) - $beyond
  if tonumber(said1) > largest then
    outside = {'capacity', string.format('a whole number from 0 to %.0f', largest), said1}
  end
  capacity = (tonumber(said1) + $beyond) * scale
end
