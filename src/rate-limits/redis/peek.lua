-- Returns the state of one quota or address, and the time; nothing is counted.

return { cjson.encode((findState(KEYS[1]))), now }
