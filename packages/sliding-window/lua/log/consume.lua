-- Decides one call on one limit and, if it is allowed, charges it.
--
-- KEYS[1]  the limit's state for one key
-- ARGV     the numbers below, one argument each, as plain text:
--            mode     1 to charge the call, 0 to look only
--            clock    milliseconds since the epoch, or -1 for the server's own clock
--            cost     units asked for
--            least    the fewest units that will do (cost, unless fewer are welcome)
--            reserve  units to leave behind
--            limit, window, as described below
--          or all of them in one argument, packed as little-endian doubles; or, for the usual call (mode 1, the
--          server's clock, least = cost, reserve 0), only cost and limit, window, packed
-- reply    taken (units granted, -1 for a denial), now (milliseconds), then what follows from it:
--          used, newest, freeAt; plain numbers for plain arguments, otherwise packed;
--          those alone when the whole cost was granted and newest is now
--
-- A text argument, a number written as text and a number in a reply each cost the server more than a whole decision
-- costs in arithmetic: hence the packing. A TTL lasts from `life` to twice that and a second more.
--
-- A global costs the server more than a local: those that are used more than once become one.
local redis, struct, ARGV = redis, struct, ARGV
local call, packed, plain = redis.call, ARGV[1], ARGV[2]
local mode, clock, cost, least, reserve, limit, window
if plain then
  for i = 1, #ARGV do ARGV[i] = tonumber(ARGV[i]) end
  mode, clock, cost, least, reserve, limit, window = unpack(ARGV)
elseif #packed == 24 then
  cost, limit, window = struct.unpack('<ddd', packed)
  mode, clock, least, reserve = 1, -1, cost, 0
else
  mode, clock, cost, least, reserve, limit, window = struct.unpack('<ddddddd', packed)
end
local key, now, ttl = KEYS[1], clock, -1
-- The log lies in one string: a header, then an entry for each millisecond in which something was granted, in order
-- of time, then room for more. Whatever the length, a decision reads the header and, where grants have left the
-- window since the last write, as many entries as it takes to search them by halving.
local state = call('GETRANGE', key, '0', '43')
if #state == 0 then state = nil end
if state then
  ttl = call('PTTL', key)
  -- when the key expires, less the time until then, is now: with PTTL no dearer than TIME, and Redis has it since 7.0
  if now < 0 and ttl > 0 and redis.REDIS_VERSION_NUM then now = call('PEXPIRETIME', key) - ttl end
end
if now < 0 then
  local time = call('TIME')
  local ms = time[2] / 1000
  now = time[1] * 1000 + (ms - ms % 1)
end
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
local BROKEN = 'SLUICESTATE 1 this key holds no state of this limit'
local tail, lastTotal, lastAt, head, base, firstAt, firstTotal, slots
if state then
  if #state ~= HEADER then return redis.error_reply(BROKEN) end
  tail, lastTotal, lastAt, head, base, firstAt, firstTotal, slots = struct.unpack('<I4I6I7I4I6I7I6I4', state)
end
local taken, redated, life = -1
-- Sliding log, part 1: drops what has left the window, and finds what is used.
--
-- parameters  limit   units in any window (now - window, now]
--             window  its length, milliseconds
-- facts       used    units that count
--             newest  when the last of them were granted, milliseconds since the epoch; 0 where nothing counts
--             freeAt  for a denial that can pass later: when enough of them will have left; 0 otherwise
local at, used, freeAt = now, 0, 0
-- units to record when the log is written; whether its head has moved; whether it is written anew
local grant, moved, anew = 0

-- The first entry from `low` on whose date, or whose running total since `base`, is at least `bound`, as the last one
-- is known to be: its index, its date, its total, and the total before it, which is told for `low`. By steps that
-- double, since it is mostly near, then by halving.
local function search(low, before, byTotal, bound)
  local high, date, total, step = tail - 1, lastAt, lastTotal, 1
  while low < high do
    local probe = step and low + step - 1 or high
    if probe >= high then probe, step = math.floor((low + high) / 2), nil end
    local from = HEADER + ENTRY * probe
    local sum, on = struct.unpack('<I6I6', call('GETRANGE', key, from, from + ENTRY - 1))
    on = lastAt - (lastAt - on) % WRAP
    if (byTotal and (sum - base) % WRAP or on) >= bound then
      high, date, total, step = probe, on, sum, nil
    else
      low, before, step = probe + 1, sum, step and step * 2
    end
  end
  return low, date, total, before
end

if state then
  redated = lastAt - now > window
  if lastAt > now then at = lastAt end
  if lastAt > at - window then
    if firstAt <= at - window then
      head, firstAt, firstTotal, base = search(head + 1, firstTotal, false, at - window + 1)
      moved = true
    end
    used = (lastTotal - base) % WRAP
  end
  if redated then
    -- it was written when the clock was far ahead: all that counts is one grant of now
    at, anew = now, true
    tail, lastTotal, lastAt, head, base, firstAt, firstTotal = 1, used, now, 0, 0, now, used
  end
end
-- Sliding log, part 2: takes `cost` units, or as many as there are if `least` are.
local room = limit - reserve - used
if cost <= room then taken = cost elseif least <= room then taken = room end
if taken > 0 and mode == 1 then
  grant, used = taken, used + taken
elseif taken < 0 and least + reserve <= limit then
  local excess = used + least + reserve - limit
  freeAt = firstAt
  if (firstTotal - base) % WRAP < excess then freeAt = select(2, search(head + 1, firstTotal, true, excess)) end
  freeAt = freeAt + window
end
local newest = grant > 0 and at or used > 0 and lastAt or 0
life = used > 0 and newest + window - now or 0
-- whoever writes into the string learns by that whether it is as long as it should be
if state and grant == 0 and call('STRLEN', key) ~= HEADER + ENTRY * slots then return redis.error_reply(BROKEN) end
if mode == 1 then
  if taken > 0 or redated and taken < 0 then
    -- what is granted is recorded
    if grant > 0 then
      if used == grant then
        tail, lastTotal, lastAt, head, base, firstAt, firstTotal, anew = 1, grant, at, 0, 0, at, grant, true
      else
        lastTotal = (lastTotal + grant) % WRAP
        if lastAt ~= at then tail, lastAt = tail + 1, at end
        if head == tail - 1 then firstTotal, moved = lastTotal, true end
      end
    end
    -- an entry goes where there is room; otherwise, and when most of the string has left the window, what counts is copied
    -- into a string with an eighth to spare
    if anew or tail > slots or head > 64 and head * 2 > tail then
      if state and call('STRLEN', key) ~= HEADER + ENTRY * slots then return redis.error_reply(BROKEN) end
      local entries = ''
      if head < tail - 1 then
        entries = call('GETRANGE', key, HEADER + ENTRY * head, HEADER + ENTRY * (tail - 1) - 1)
      end
      head, tail = 0, #entries / ENTRY + 1
      slots = tail + math.max(3, math.ceil(tail / 8))
      local header = struct.pack('<I4I6I7I4I6I7I6I4', tail, lastTotal, lastAt, head, base, firstAt, firstTotal, slots)
      local last = string.sub(header, 5, 16)
      local spare = string.rep('\0', ENTRY * (slots - tail))
      call('SET', key, header .. entries .. last .. spare, 'PX', math.ceil(1.5 * life) + 1000)
    else
      local header
      if moved then
        header = struct.pack('<I4I6I7I4I6I7I6', tail, lastTotal, lastAt, head, base, firstAt, firstTotal)
      else
        header = struct.pack('<I4I6I7', tail, lastTotal, lastAt)
      end
      if ttl <= life or ttl > 2 * life + 1000 then call('PEXPIRE', key, math.ceil(1.5 * life) + 1000) end
      if call('SETRANGE', key, '0', header) ~= HEADER + ENTRY * slots then
        call('SETRANGE', key, '0', state)
        return redis.error_reply(BROKEN)
      end
      -- of the header, the total and the lower bytes of the date
      call('SETRANGE', key, HEADER + ENTRY * (tail - 1), string.sub(header, 5, 16))
    end
    local fresh = struct.pack('<ddd', used, newest, freeAt)
    if taken == cost and newest == now and not plain then return fresh end
  elseif state and ttl < life then
    call('PEXPIRE', key, math.ceil(1.5 * life) + 1000)
  end
end
if plain then return {taken, now, used, newest, freeAt} end
return struct.pack('<ddddd', taken, now, used, newest, freeAt)
