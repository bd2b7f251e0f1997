-- Decides about requests and counts them, atomically for all nodes: `restoreQuota` and `decide` of src/rate-limits/,
-- function by function. A differential test compares both. All numbers are arguments; they come from there and from the
-- contract. There is one key per request, which may occur several times, and four arguments per key.

local minuteMs, dayMs = tonumber(ARGV[2]), tonumber(ARGV[3])
local abusedMinuteFactor, abusedMinutesInARow = tonumber(ARGV[4]), tonumber(ARGV[5])
local firstBanSeconds, longestBanSeconds, rememberedSeconds = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
-- The fields that an unban clears.
local clearedBan = ARGV[9]
local firstArgument, argumentsPerKey = 10, 4

-- Of the current request. Without limits it is not counted: the known state is only merged. An address has neither a
-- day nor bans.
local state, isQuota, requestsPerMinute, requestsPerDay

local function isOver(startedAt, lengthMs)
  return startedAt == 0 or now >= startedAt + lengthMs
end

local function adjustToClock(state)
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

local function findExhaustedWindow()
  local isMinuteExhausted = state.minuteUsed >= requestsPerMinute
  if not requestsPerDay or state.dayUsed < requestsPerDay then return isMinuteExhausted and 'minute' end
  return isMinuteExhausted and 'both' or 'day'
end

local function countAbusedMinute()
  local isConsecutive = state.abusedMinutes > 0 and state.minuteStartedAt - state.abusedStartedAt < 2 * minuteMs
  state.abusedMinutes = isConsecutive and state.abusedMinutes + 1 or 1
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

local function reject(exhausted)
  state.minuteRejected = state.minuteRejected + 1
  if isQuota and state.minuteRejected == abusedMinuteFactor * requestsPerMinute + 1 then
    countAbusedMinute()
    if state.abusedMinutes >= abusedMinutesInARow then
      ban()
      return 'ban', true
    end
  end
  if exhausted ~= 'both' then return exhausted end
  local isDayLater = state.dayStartedAt + dayMs >= state.minuteStartedAt + minuteMs
  return isDayLater and 'day' or 'minute'
end

-- Returns which window or ban rejects the request, if any, and whether it begins a ban.
local function decide()
  adjustToClock(state)
  if now < state.bannedUntil then return 'ban' end
  if isOver(state.minuteStartedAt, minuteMs) then
    state.minuteStartedAt = now
    state.minuteUsed = 0
    state.minuteRejected = 0
    state.minuteRestored = nil
  end
  if isOver(state.dayStartedAt, dayMs) then
    state.dayUsed = 0
    state.dayRestored = nil
  end
  local exhausted = findExhaustedWindow()
  if exhausted then return reject(exhausted) end
  if state.dayUsed == 0 then state.dayStartedAt = now end
  state.minuteUsed = state.minuteUsed + 1
  state.dayUsed = state.dayUsed + 1
end

-- When the state no longer affects a decision: see `isIdle`. An address has only its minute.
local function idleAt()
  if not isQuota then return state.minuteStartedAt + minuteMs end
  local unbanExpiresAt = state.unbannedAt == 0 and 0
    or state.unbannedAt + (longestBanSeconds + rememberedSeconds) * 1000
  return math.max(
    state.minuteStartedAt + 2 * minuteMs,
    state.dayStartedAt + dayMs,
    state.bannedUntil + rememberedSeconds * 1000,
    unbanExpiresAt
  )
end

-- Creates the function that merges the state that a node knows into the stored one. It is created only if a known state
-- was sent, because the stored one may have been lost.
local function createRestore()
  local function clearBan(state)
    for field, value in pairs(cjson.decode(clearedBan)) do state[field] = value end
  end

  local function restoreBans(known)
    if known.unbannedAt < state.unbannedAt then clearBan(known)
    elseif known.unbannedAt > state.unbannedAt then clearBan(state) end
    state.unbannedAt = math.max(state.unbannedAt, known.unbannedAt)
    if known.abusedStartedAt > state.abusedStartedAt then
      state.abusedStartedAt = known.abusedStartedAt
      state.abusedMinutes = known.abusedMinutes
    end
    if known.bannedUntil > state.bannedUntil then
      state.bans = known.bans
      state.bannedAt = known.bannedAt
      state.bannedUntil = known.bannedUntil
    end
  end

  local function restoreRejections(known)
    if isOver(known.minuteStartedAt, minuteMs) then return end
    local rejected = isOver(state.minuteStartedAt, minuteMs) and 0 or state.minuteRejected
    state.minuteRejected = math.max(rejected, known.minuteRejected)
  end

  local function isOpen(state, window)
    return state[window.used] > 0 and not isOver(state[window.startedAt], window.lengthMs)
  end

  local function isMissing(known, window)
    if not isOpen(known, window) then return false end
    return not isOpen(state, window) or known[window.startedAt] < state[window.startedAt]
  end

  local function mergeWindow(known, window, unsent, isNewLoss)
    local used, restored = window.used, window.restored
    local sent = known[used] - unsent
    local since = state[used] - state[restored]
    if isNewLoss or known.losses > state.losses then
      state[used] = math.max(state[used], sent)
      state[restored] = isNewLoss and state[used] or known[restored]
    elseif known.losses < state.losses then
      state[restored] = math.max(state[restored], sent)
      state[used] = state[restored] + since
    else
      local sinceSent = sent - known[restored]
      state[restored] = math.max(state[restored], known[restored])
      state[used] = state[restored] + math.max(since, sinceSent)
    end
    state[used] = state[used] + unsent
  end

  local function restoreWindow(known, window, unsent, isNewLoss)
    local startedAt, used, restored = window.startedAt, window.used, window.restored
    if not isOpen(known, window) then return end
    if not isMissing(known, window) then return mergeWindow(known, window, unsent, isNewLoss) end
    local isStored = isOpen(state, window)
    local since = isStored and state[used] - state[restored] or 0
    state[startedAt] = known[startedAt]
    state[restored] = math.max(known[used] - unsent, isStored and state[restored] or 0) + unsent
    state[used] = state[restored] + since
  end

  local minute = { startedAt = 'minuteStartedAt', used = 'minuteUsed', restored = 'minuteRestored', lengthMs = minuteMs }
  local day = { startedAt = 'dayStartedAt', used = 'dayUsed', restored = 'dayRestored', lengthMs = dayMs }

  return function(quota)
    local known = readState(cjson.encode(quota.state))
    adjustToClock(state)
    adjustToClock(known)
    restoreBans(known)
    restoreRejections(known)
    local isNewLoss = state.losses <= known.losses and (isMissing(known, minute) or isMissing(known, day))
    restoreWindow(known, minute, quota.unsent.minute, isNewLoss)
    restoreWindow(known, day, quota.unsent.day, isNewLoss)
    state.losses = math.max(state.losses, known.losses + (isNewLoss and 1 or 0))
  end
end

local restoreQuota
-- By key: the state, and after the last request its text and how long it is needed.
local states, texts, lives = {}, {}, {}

local function consume(key, known)
  states[key] = states[key] or findState(key)
  state = states[key]
  local before
  if known ~= '' then
    before = cjson.encode(state)
    restoreQuota = restoreQuota or createRestore()
    restoreQuota(cjson.decode(known))
  end
  local rejectedBy, beginsBan
  if requestsPerMinute then rejectedBy, beginsBan = decide() end
  texts[key], lives[key] = cjson.encode(state), idleAt() - now
  return { rejectedBy or false, now, texts[key], beginsBan or false, before or false }
end

local decisions = {}
for index, key in ipairs(KEYS) do
  local first = firstArgument + (index - 1) * argumentsPerKey
  isQuota = ARGV[first] == 'quota'
  requestsPerMinute, requestsPerDay = tonumber(ARGV[first + 1]), tonumber(ARGV[first + 2])
  decisions[index] = consume(key, ARGV[first + 3])
end
for key, text in pairs(texts) do
  if lives[key] > 0 then redis.call('SET', key, text, 'PX', lives[key]) end
end
return decisions
