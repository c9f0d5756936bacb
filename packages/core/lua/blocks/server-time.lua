local time = call('TIME')
local ms = time[2] / 1000
now = time[1] * 1000 + (ms - ms % 1)
