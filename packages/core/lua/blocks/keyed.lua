local policyKey = KEYS[2]
$perKey
local most = $most
$bound
