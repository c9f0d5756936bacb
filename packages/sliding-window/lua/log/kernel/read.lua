-- The log lies in one string: a header, then an entry for each millisecond in which something was granted, in order
-- of time, then room for more. Whatever the length, a decision reads the header and, where grants have left the
-- window since the last write, as many entries as it takes to search them by halving.
local state = call('GETRANGE', key, '0', '43')
if #state == 0 then state = nil end
