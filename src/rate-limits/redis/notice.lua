-- Returns the notice that all nodes poll: a random id of this data set, and the latest unbans. If it is missing or
-- damaged, the counters were lost: it is created with a new id. With a quota id, it adds an unban.

local life, keptMs, quotaId, unbannedAt = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local found = redis.pcall('GET', KEYS[1])
if type(found) == 'table' and not string.find(found.err, 'WRONGTYPE', 1, true) then return found end
local isRead, notice = pcall(cjson.decode, found)
if not isRead or type(notice) ~= 'table' or type(notice.life) ~= 'string' or type(notice.unbans) ~= 'table' then
  notice = { life = life, unbans = {} }
end
for id, at in pairs(notice.unbans) do
  if type(at) ~= 'number' or now > at + keptMs then notice.unbans[id] = nil end
end
if quotaId then notice.unbans[quotaId] = unbannedAt end
local text = cjson.encode(notice)
redis.call('SET', KEYS[1], text)
return text
