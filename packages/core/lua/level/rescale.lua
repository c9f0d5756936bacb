-- `units` counted `from` a token, counted `scale` a token: whole tokens stay, a part of one is rounded up
local part = units % from
units = math.min((units - part) / from * scale, 9007199254740991)
if part > 0 then
  local exact = part * scale <= 9007199254740991
  units = math.min(units + (exact and math.ceil(part * scale / from) or scale), 9007199254740991)
end
