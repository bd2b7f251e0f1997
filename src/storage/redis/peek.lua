-- What is known, and the time, from one place; nothing is counted.

return { redis.call('GET', KEYS[1]) or '{}', redis.call('TIME') }
