/** What Redis does in one step for kept responses and conversations. */

/** Takes an entry away, with all that is known of it elsewhere. `KEYS` as in {@link putScript}. */
const drop = `
	-- Under no name stands the sum.
	local function count(key, name, bytes)
		local before = tonumber(redis.call('HGET', key, name) or '0')
		if bytes == 0 then redis.call('HDEL', key, name) else redis.call('HSET', key, name, bytes) end
		local sum = redis.call('HINCRBY', key, '', bytes - before)
		if sum == 0 then redis.call('HDEL', key, '') end
		return sum
	end
	local function drop(entry, used, bytes, items, id, name)
		local ids = redis.call('HGET', entry, 'ids')
		if ids then
			for _, item in ipairs(cjson.decode(ids)) do
				if redis.call('HGET', items, item) == id then redis.call('HDEL', items, item) end
			end
		end
		redis.call('DEL', entry)
		redis.call('ZREM', used, id)
		count(bytes, id, 0)
		redis.call('ZREM', KEYS[5], name)
		count(KEYS[6], name, 0)
	end
	local function nowMs()
		local time = redis.call('TIME')
		return time[1] * 1000 + math.floor(time[2] / 1000)
	end
`;

/**
 * Writes an entry where it stands as it was read, and takes away what was used longest ago until the rest fits.
 * `KEYS`: entry, used, bytes, items of the person; all, bytes of everybody. `ARGV`: rev that was read, id, person,
 * bytes, ms to live, entries and bytes of a person, bytes of all, prefix, ids of items, fields and values.
 */
export const putScript = `${drop}
	if (redis.call('HGET', KEYS[1], 'rev') or '') ~= ARGV[1] then return 0 end
	local id, person, ttl = ARGV[2], ARGV[3], tonumber(ARGV[5])
	local name = cjson.encode({person, id})
	local before = redis.call('HGET', KEYS[1], 'ids')
	if before and before ~= ARGV[10] then
		for _, item in ipairs(cjson.decode(before)) do
			if redis.call('HGET', KEYS[4], item) == id then redis.call('HDEL', KEYS[4], item) end
		end
	end
	for at = 11, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
	local now = nowMs()
	if ARGV[1] == '' then redis.call('HSET', KEYS[1], 'alive', now) end
	if before ~= ARGV[10] then
		for _, item in ipairs(cjson.decode(ARGV[10])) do redis.call('HSETNX', KEYS[4], item, id) end
	end
	local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
	redis.call('ZADD', KEYS[2], math.max(now, (tonumber(last[2] or '0')) + 1), id)
	local bytes = count(KEYS[3], id, tonumber(ARGV[4]))
	redis.call('ZADD', KEYS[5], now, name)
	local all = count(KEYS[6], name, tonumber(ARGV[4]))
	for i = 1, 6 do redis.call('PEXPIRE', KEYS[i], ttl) end
	local left = redis.call('ZCARD', KEYS[2])
	while left > 1 and (left > tonumber(ARGV[6]) or bytes > tonumber(ARGV[7])) do
		local oldest = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
		local entry = string.sub(KEYS[1], 1, #KEYS[1] - #id) .. oldest
		drop(entry, KEYS[2], KEYS[3], KEYS[4], oldest, cjson.encode({person, oldest}))
		bytes = tonumber(redis.call('HGET', KEYS[3], '') or '0')
		left = left - 1
	end
	while all > tonumber(ARGV[8]) and redis.call('ZCARD', KEYS[5]) > 1 do
		local oldest = redis.call('ZRANGE', KEYS[5], 0, 0)[1]
		local whose = cjson.decode(oldest)
		local own = ARGV[9] .. string.gsub(whose[1], '[^%w%-_.!~*\\'()]', function (c)
			return string.format('%%%02X', string.byte(c))
		end) .. ':'
		drop(own .. 'e:' .. whose[2], own .. 'used', own .. 'bytes', own .. 'items', whose[2], oldest)
		all = tonumber(redis.call('HGET', KEYS[6], '') or '0')
	end
	return 1`;

/** Deletes an entry; 0 when there is none, or one of another kind. `ARGV`: id, person, kind or nothing. */
export const dropScript = `${drop}
	local kind = redis.call('HGET', KEYS[1], 'kind')
	local name = cjson.encode({ARGV[2], ARGV[1]})
	if kind and ARGV[3] ~= '' and kind ~= ARGV[3] then return 0 end
	drop(KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1], name)
	if kind then return 1 else return 0 end`;

const isOpen = `
	local status = redis.call('HGET', KEYS[1], 'status')
	local isOpen = status == 'queued' or status == 'in_progress'
	local time = redis.call('TIME')
	local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** 1 while whoever makes the response says that it lives. `ARGV`: ms after which it is given up. */
export const readScript = `${isOpen}
	local alive = tonumber(redis.call('HGET', KEYS[1], 'alive') or '0')
	if now - alive > tonumber(ARGV[1]) then return 0 end
	return 1`;

/** Says that a response is being made; 0 when it is to end, was deleted, or is somebody else's. `ARGV`: owner. */
export const aliveScript = `${isOpen}
	if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then return 0 end
	redis.call('HSET', KEYS[1], 'alive', now)
	if redis.call('HEXISTS', KEYS[1], 'stop') == 1 then return 0 end
	return 1`;

/** Has a response ended: 0 it has, 1 it will, 2 whoever made it is gone. `ARGV`: ms after which it is given up. */
export const stopScript = `${isOpen}
	if not isOpen then return 0 end
	redis.call('HSET', KEYS[1], 'stop', '1')
	local alive = tonumber(redis.call('HGET', KEYS[1], 'alive') or '0')
	if now - alive > tonumber(ARGV[1]) then return 2 end
	return 1`;

/** Marks entries as used. `KEYS`: used of the person, all. `ARGV`: ms to live, person, begin of entries' keys, ids. */
export const useScript = `
	local time = redis.call('TIME')
	local now = time[1] * 1000 + math.floor(time[2] / 1000)
	local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
	local used = math.max(now, tonumber(last[2] or '0'))
	for at = 4, #ARGV do
		if redis.call('PEXPIRE', ARGV[3] .. ARGV[at], ARGV[1]) == 1 then
			used = used + 1
			redis.call('ZADD', KEYS[1], used, ARGV[at])
			redis.call('ZADD', KEYS[2], now, cjson.encode({ARGV[2], ARGV[at]}))
		end
	end
	return 1`;

/** Prolongs a hold, which stays with whoever has it. `ARGV`: token, ms. */
export const renewScript =
	"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) else return 0 end";
export const unlockScript =
	"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";
