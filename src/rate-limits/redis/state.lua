-- The beginning of every script: the time, and how states are read. Any other value under a key counts as a lost state.

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

-- Returns the state of a quota or an address, and the stored text.
local function findState(key)
  local found = redis.pcall('GET', key)
  if type(found) == 'table' and not string.find(found.err, 'WRONGTYPE', 1, true) then error(found.err, 0) end
  return readState(found), found
end
