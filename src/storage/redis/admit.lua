-- Decides about one request and counts it, in one step for all nodes: `admit` of src/domain/limits.ts, function by function. A test drives
-- both with the same requests and demands the same. No number stands here; they come from there and from the contract.

local key = KEYS[1]
local requestsPerMinute, requestsPerDay = tonumber(ARGV[1]), tonumber(ARGV[2])
local abusedMinuteFactor, abusedMinutesInARow = tonumber(ARGV[3]), tonumber(ARGV[4])
local firstBanSeconds, longestBanSeconds, rememberedSeconds = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local minuteMs, dayMs = tonumber(ARGV[8]), tonumber(ARGV[9])

-- Nothing is given but by a test, which moves the time.
local now = tonumber(ARGV[10])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- What a state does not mention is 0: nothing was used, and it was never.
local state = cjson.decode(redis.call('GET', key) or '{}')
setmetatable(state, { __index = function() return 0 end })

local function isOver(startedAt, lengthMs)
  return startedAt == 0 or now >= startedAt + lengthMs
end

local function followClock()
  if now < state.minuteStartedAt then
    state.abusedStartedAt = state.abusedStartedAt - (state.minuteStartedAt - now)
    state.minuteStartedAt = now
  end
  if now < state.dayStartedAt then state.dayStartedAt = now end
  if now < state.bannedAt then
    state.bannedUntil = state.bannedUntil - (state.bannedAt - now)
    state.bannedAt = now
  end
end

local function spentWindow()
  local isMinuteSpent = state.minuteUsed >= requestsPerMinute
  if not requestsPerDay or state.dayUsed < requestsPerDay then return isMinuteSpent and 'minute' end
  return isMinuteSpent and 'both' or 'day'
end

local function noteAbusedMinute()
  local isInARow = state.abusedMinutes > 0 and state.minuteStartedAt - state.abusedStartedAt < 2 * minuteMs
  state.abusedMinutes = isInARow and state.abusedMinutes + 1 or 1
  state.abusedStartedAt = state.minuteStartedAt
end

local function ban()
  local isFurther = state.bans > 0 and now < state.bannedUntil + rememberedSeconds * 1000
  state.bans = isFurther and state.bans + 1 or 1
  local seconds = math.min(firstBanSeconds * 2 ^ (state.bans - 1), longestBanSeconds)
  state.abusedMinutes = 0
  state.bannedAt = now
  state.bannedUntil = now + seconds * 1000
end

local function refuse(spent)
  state.minuteRefused = state.minuteRefused + 1
  if abusedMinuteFactor and state.minuteRefused == abusedMinuteFactor * requestsPerMinute + 1 then
    noteAbusedMinute()
    if state.abusedMinutes >= abusedMinutesInARow then
      ban()
      return 'ban', true
    end
  end
  if spent ~= 'both' then return spent end
  local isDayLater = state.dayStartedAt + dayMs >= state.minuteStartedAt + minuteMs
  return isDayLater and 'day' or 'minute'
end

-- What refuses the request, and whether it begins a ban; nothing when it is admitted.
local function admit()
  followClock()
  if now < state.bannedUntil then return 'ban' end
  if isOver(state.minuteStartedAt, minuteMs) then
    state.minuteStartedAt = now
    state.minuteUsed = 0
    state.minuteRefused = 0
  end
  if isOver(state.dayStartedAt, dayMs) then state.dayUsed = 0 end
  local spent = spentWindow()
  if spent then return refuse(spent) end
  if state.dayUsed == 0 then state.dayStartedAt = now end
  state.minuteUsed = state.minuteUsed + 1
  state.dayUsed = state.dayUsed + 1
end

-- When it can be forgotten: see `isIdle`. An address has only its minute.
local function idleAt()
  if not rememberedSeconds then return state.minuteStartedAt + minuteMs end
  return math.max(
    state.minuteStartedAt + 2 * minuteMs,
    state.dayStartedAt + dayMs,
    state.bannedUntil + rememberedSeconds * 1000
  )
end

local refusedBy, beginsBan = admit()
local text = cjson.encode(state)
redis.call('SET', key, text, 'PX', idleAt() - now)
return { refusedBy or false, now, text, beginsBan or false }
