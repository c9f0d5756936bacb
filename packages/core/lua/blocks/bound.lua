-- the caller could not know how much the limit is
if most == 0 then cost, least = math.max(cost, 1), math.max(least, 1) end
if cost > most then cost = most + 1 end
if least > most then least = most + 1 end
if reserve > most then reserve = most + 1 end
