-- The beginning of every script for one quota or address: reads its state and the time. Any other value under the key
-- counts as a lost state.

local key = KEYS[1]

-- Only tests pass the time.
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- A missing field is 0.
local zero = { __index = function() return 0 end }
local greatest = 2 ^ 53

local function readState(text)
  local isRead, state = pcall(cjson.decode, text)
  if not isRead or type(state) ~= 'table' then state = {} end
  for _, value in pairs(state) do
    if type(value) ~= 'number' or not (-greatest <= value and value <= greatest) then
      state = {}
      break
    end
  end
  return setmetatable(state, zero)
end

local found = redis.pcall('GET', key)
if type(found) == 'table' and not string.find(found.err, 'WRONGTYPE', 1, true) then return found end
local state = readState(found)
