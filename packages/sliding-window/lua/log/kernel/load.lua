-- header  tail        index after the last entry
--         lastTotal   the last entry: the running total up to it, and its date
--         lastAt
--         head        index of the first entry that counted at the last write
--         base        running total before it
--         firstAt     the entry at `head`, likewise
--         firstTotal
--         slots       how many entries the string has room for
-- entry   running total and date (milliseconds since the epoch), six bytes each: both wrap around at 2^48, but what
--         counts lies closer together than that
local HEADER, ENTRY, WRAP = 44, 12, 281474976710656
local BROKEN = 'SLUICESTATE $position this key holds no state of this limit'
local tail, lastTotal, lastAt, head, base, firstAt, firstTotal, slots
if state then
  if #state ~= HEADER then return redis.error_reply(BROKEN) end
  tail, lastTotal, lastAt, head, base, firstAt, firstTotal, slots = struct.unpack('<I4I6I7I4I6I7I6I4', state)
end
