-- A file for the test beside it.
local answer = 42

  -- indented
  return answer
