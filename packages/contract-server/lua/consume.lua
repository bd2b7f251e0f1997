-- Decides about requests and counts them, atomically for all nodes, like `decide` of decide.ts: a differential test
-- compares both. KEYS: the hash of each request; one may occur several times. ARGV: the time, or '' for the clock of
-- Redis; rejectedRequestsFactor; the length of a ban; then for each request: requestsPerMinute, requestsPerDay, and '1'
-- to count or '0' to peek. Times are in milliseconds. The replies are those that `readDecision` reads.
local now, rejectedRequestsFactor, banMs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local minuteMs, dayMs = 60000, 86400000
local fields = { 'minuteStartedAt', 'minuteUsed', 'minuteRejected', 'dayStartedAt', 'dayUsed', 'bannedUntil' }

local function load(key)
  local values, state = redis.call('HMGET', key, unpack(fields)), {}
  for index, field in ipairs(fields) do state[field] = tonumber(values[index]) or 0 end
  return state
end

local function startWindows(state)
  if now >= state.minuteStartedAt + minuteMs then
    state.minuteUsed, state.minuteRejected, state.minuteStartedAt = 0, 0, now
  end
  if now >= state.dayStartedAt + dayMs then state.dayUsed = 0 end
  if state.dayUsed == 0 then state.dayStartedAt = now end
  if now < state.minuteStartedAt then state.minuteStartedAt, state.minuteRejected = now, 0 end
  state.dayStartedAt, state.bannedUntil = math.min(state.dayStartedAt, now), math.min(state.bannedUntil, now + banMs)
end

-- Returns whether the request is rejected, and whether it begins a ban.
local function decide(state, requestsPerMinute, requestsPerDay)
  if now < state.bannedUntil then return 1, 0 end
  if state.minuteUsed < requestsPerMinute and state.dayUsed < requestsPerDay then
    state.minuteUsed, state.dayUsed = state.minuteUsed + 1, state.dayUsed + 1
    return 0, 0
  end
  state.minuteRejected = state.minuteRejected + 1
  if state.minuteRejected <= rejectedRequestsFactor * requestsPerMinute then return 1, 0 end
  state.bannedUntil = now + banMs
  return 1, 1
end

local states, counted, replies = {}, {}, {}
for index, key in ipairs(KEYS) do
  local state = states[key] or load(key)
  local isRejected, beginsBan, first = 0, 0, 3 * index + 1
  startWindows(state)
  if ARGV[first + 2] == '1' then
    isRejected, beginsBan = decide(state, tonumber(ARGV[first]), tonumber(ARGV[first + 1]))
    counted[key] = state
  end
  states[key], replies[index] = state, { now, isRejected, beginsBan }
  for position, field in ipairs(fields) do replies[index][3 + position] = state[field] end
end
for key, state in pairs(counted) do
  local values = {}
  for position, field in ipairs(fields) do values[2 * position - 1], values[2 * position] = field, state[field] end
  redis.call('HSET', key, unpack(values))
  redis.call('PEXPIRE', key, math.max(dayMs, banMs)) -- By then, every window and ban is over.
end
return replies
