-- Returns the data set that all nodes poll: its random id, and the latest unbans by quota. If it is missing or damaged,
-- Redis has lost the counters: it is created with a new id. With a quota id, an unban is added.

local newId, keptMs, quotaId, unbannedAt = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local found = redis.pcall('GET', KEYS[1])
if type(found) == 'table' and not string.find(found.err, 'WRONGTYPE', 1, true) then return found end
local isRead, dataSet = pcall(cjson.decode, found)
if not isRead or type(dataSet) ~= 'table' or type(dataSet.id) ~= 'string' or type(dataSet.unbans) ~= 'table' then
  dataSet = { id = newId, unbans = {} }
end
for id, at in pairs(dataSet.unbans) do
  if type(at) ~= 'number' or now > at + keptMs then dataSet.unbans[id] = nil end
end
if quotaId then dataSet.unbans[quotaId] = unbannedAt end
local text = cjson.encode(dataSet)
redis.call('SET', KEYS[1], text)
return text
