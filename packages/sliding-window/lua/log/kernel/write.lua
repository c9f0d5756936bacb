-- what is granted is recorded
if grant > 0 then
  if used == grant then
    tail, lastAt, lastTotal, head, base, firstAt, firstTotal, anew = 1, at, grant, 0, 0, at, grant, true
  else
    lastTotal = (lastTotal + grant) % WRAP
    if lastAt ~= at then tail, lastAt = tail + 1, at end
    if head == tail - 1 then firstTotal, moved = lastTotal, true end
  end
end
-- an entry goes where there is room; otherwise, and when most of the string has left the window, what counts is copied
-- into a string with an eighth to spare
local entries
if anew then
  entries = ''
elseif tail > slots or head > 64 and head * 2 > tail then
  entries = ''
  if head < tail - 1 then
    entries = call('GETRANGE', key, HEADER + ENTRY * head, HEADER + ENTRY * (tail - 1) - 1)
  end
end
if entries then
  head, tail = 0, #entries / ENTRY + 1
  slots = tail + math.max(3, math.ceil(tail / 8))
  local header = struct.pack('<I4I6I6I4I6I6I6I4', tail, lastAt, lastTotal, head, base, firstAt, firstTotal, slots)
  local last = struct.pack('<I6I6', lastAt, lastTotal)
  local spare = string.rep('\0', ENTRY * (slots - tail))
  call('SET', key, header .. entries .. last .. spare, 'PX', math.ceil(1.5 * life) + 1000)
else
  local header
  if moved then
    header = struct.pack('<I4I6I6I4I6I6I6', tail, lastAt, lastTotal, head, base, firstAt, firstTotal)
  else
    header = struct.pack('<I4I6I6', tail, lastAt, lastTotal)
  end
  call('SETRANGE', key, '0', header)
  call('SETRANGE', key, HEADER + ENTRY * (tail - 1), string.sub(header, 5, 16))
  if ttl <= life or ttl > 2 * life + 1000 then call('PEXPIRE', key, math.ceil(1.5 * life) + 1000) end
end
local fresh = struct.pack('<ddd', used, newest, freeAt)
