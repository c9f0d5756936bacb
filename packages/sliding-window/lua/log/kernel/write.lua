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
