-- Decides about one request and counts it, atomically for all nodes: `restoreQuota` and `decide` of src/rate-limits/,
-- function by function. A differential test compares both. All numbers are arguments; they come from there and from the
-- contract.

-- Without limits no request is counted: the known state is only merged.
local requestsPerMinute, requestsPerDay = tonumber(ARGV[2]), tonumber(ARGV[3])
local abusedMinuteFactor, abusedMinutesInARow = tonumber(ARGV[4]), tonumber(ARGV[5])
local firstBanSeconds, longestBanSeconds, rememberedSeconds = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local minuteMs, dayMs = tonumber(ARGV[9]), tonumber(ARGV[10])
-- The state that the node knows, if the stored state may have been lost, and the fields that an unban clears.
local known, clearedBan = ARGV[11], ARGV[12]

local function isOver(startedAt, lengthMs)
  return startedAt == 0 or now >= startedAt + lengthMs
end

local function followClock(state)
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

local function reject(spent)
  state.minuteRejected = state.minuteRejected + 1
  if abusedMinuteFactor and state.minuteRejected == abusedMinuteFactor * requestsPerMinute + 1 then
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

-- Returns which window or ban rejects the request, if any, and whether it begins a ban.
local function decide()
  followClock(state)
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
  local spent = spentWindow()
  if spent then return reject(spent) end
  if state.dayUsed == 0 then state.dayStartedAt = now end
  state.minuteUsed = state.minuteUsed + 1
  state.dayUsed = state.dayUsed + 1
end

-- When it can be forgotten: see `isIdle`. An address has only its minute.
local function idleAt()
  if not rememberedSeconds then return state.minuteStartedAt + minuteMs end
  local unbanForgottenAt = state.unbannedAt == 0 and 0 or state.unbannedAt + (longestBanSeconds + rememberedSeconds) * 1000
  return math.max(
    state.minuteStartedAt + 2 * minuteMs,
    state.dayStartedAt + dayMs,
    state.bannedUntil + rememberedSeconds * 1000,
    unbanForgottenAt
  )
end

-- These functions are needed, and created, only if a known state was sent.
local before
if known then
  local function clearBan(state)
    for field, value in pairs(cjson.decode(clearedBan)) do state[field] = value end
  end

  local function restoreBans(account)
    if account.unbannedAt < state.unbannedAt then clearBan(account)
    elseif account.unbannedAt > state.unbannedAt then clearBan(state) end
    state.unbannedAt = math.max(state.unbannedAt, account.unbannedAt)
    if account.abusedStartedAt > state.abusedStartedAt then
      state.abusedStartedAt = account.abusedStartedAt
      state.abusedMinutes = account.abusedMinutes
    end
    if account.bannedUntil > state.bannedUntil then
      state.bans = account.bans
      state.bannedAt = account.bannedAt
      state.bannedUntil = account.bannedUntil
    end
  end

  local function restoreRejections(account)
    if isOver(account.minuteStartedAt, minuteMs) then return end
    local rejected = isOver(state.minuteStartedAt, minuteMs) and 0 or state.minuteRejected
    state.minuteRejected = math.max(rejected, account.minuteRejected)
  end

  local function isOpen(state, window)
    return state[window.used] > 0 and not isOver(state[window.startedAt], window.lengthMs)
  end

  local function isMissing(account, window)
    if not isOpen(account, window) then return false end
    return not isOpen(state, window) or account[window.startedAt] < state[window.startedAt]
  end

  local function mergeWindow(account, window, uncounted, isNewLoss)
    local used, restored = window.used, window.restored
    local sent = account[used] - uncounted
    local since = state[used] - state[restored]
    if isNewLoss or account.losses > state.losses then
      state[used] = math.max(state[used], sent)
      state[restored] = isNewLoss and state[used] or account[restored]
    elseif account.losses < state.losses then
      state[restored] = math.max(state[restored], sent)
      state[used] = state[restored] + since
    else
      local sinceSent = sent - account[restored]
      state[restored] = math.max(state[restored], account[restored])
      state[used] = state[restored] + math.max(since, sinceSent)
    end
    state[used] = state[used] + uncounted
  end

  local function restoreWindow(account, window, uncounted, isNewLoss)
    local startedAt, used, restored = window.startedAt, window.used, window.restored
    if not isOpen(account, window) then return end
    if not isMissing(account, window) then return mergeWindow(account, window, uncounted, isNewLoss) end
    local isStored = isOpen(state, window)
    local since = isStored and state[used] - state[restored] or 0
    state[startedAt] = account[startedAt]
    state[restored] = math.max(account[used] - uncounted, isStored and state[restored] or 0) + uncounted
    state[used] = state[restored] + since
  end

  local minute = { startedAt = 'minuteStartedAt', used = 'minuteUsed', restored = 'minuteRestored', lengthMs = minuteMs }
  local day = { startedAt = 'dayStartedAt', used = 'dayUsed', restored = 'dayRestored', lengthMs = dayMs }

  local function restoreQuota(known)
    local account = readState(cjson.encode(known.state))
    followClock(state)
    followClock(account)
    restoreBans(account)
    restoreRejections(account)
    local isNewLoss = state.losses <= account.losses and (isMissing(account, minute) or isMissing(account, day))
    restoreWindow(account, minute, known.uncounted.minute, isNewLoss)
    restoreWindow(account, day, known.uncounted.day, isNewLoss)
    state.losses = math.max(state.losses, account.losses + (isNewLoss and 1 or 0))
  end

  before = cjson.encode(state)
  restoreQuota(cjson.decode(known))
end

local rejectedBy, beginsBan
if requestsPerMinute then rejectedBy, beginsBan = decide() end
local text = cjson.encode(state)
local lifeMs = idleAt() - now
if lifeMs > 0 then redis.call('SET', key, text, 'PX', lifeMs) end
return { rejectedBy or false, now, text, beginsBan or false, before or false }
