-- Sets what is given in a state, if there is one.

local text = redis.call('GET', KEYS[1])
if not text then return end
local state = cjson.decode(text)
for field, value in pairs(cjson.decode(ARGV[1])) do state[field] = value end
redis.call('SET', KEYS[1], cjson.encode(state), 'KEEPTTL')
