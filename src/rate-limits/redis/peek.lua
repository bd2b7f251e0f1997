-- Returns the state and the time; nothing is counted.

return { cjson.encode(state), now }
