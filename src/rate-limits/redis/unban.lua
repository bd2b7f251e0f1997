-- Sets the fields that an unban clears, and marks the state with the time of the unban, which it returns. The mark
-- outlives the ban: an existing state keeps its expiry. A missing state is created, because a node may still know a ban
-- and write it back.

local key = KEYS[1]
local state, found = findState(key)
for field, value in pairs(cjson.decode(ARGV[2])) do state[field] = value end
state.unbannedAt = math.max(now, state.unbannedAt + 1)
if type(found) == 'string' then redis.call('SET', key, cjson.encode(state), 'KEEPTTL')
else redis.call('SET', key, cjson.encode(state), 'PX', ARGV[3]) end
return state.unbannedAt
