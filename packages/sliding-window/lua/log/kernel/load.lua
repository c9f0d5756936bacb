-- header  tail       index after the last entry
--         lastAt     the last entry: its date, and the running total up to it
--         lastTotal
--         head       index of the first entry that counted at the last write
--         base       running total before it
--         firstAt    the entry at `head`, likewise
--         firstTotal
--         slots      how many entries the string has room for
-- entry   date (milliseconds since the epoch) and running total, six bytes each; totals wrap around at 2^48
local HEADER, ENTRY, WRAP = 42, 12, 281474976710656
local tail, lastAt, lastTotal, head, base, firstAt, firstTotal, slots
if state then
  if #state ~= HEADER then return redis.error_reply('SLUICESTATE this key holds no state of this limit') end
  tail, lastAt, lastTotal, head, base, firstAt, firstTotal, slots = struct.unpack('<I4I6I6I4I6I6I6I4', state)
end
