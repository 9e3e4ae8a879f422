/** deploy/haproxy.cfg in front of doubles: who is late, gone or not ready costs nobody an answer. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import {
	haproxyMissing,
	startBalancer,
	startBalancerWith,
	untilAllServe,
} from '../support/haproxy.ts';
import { until } from '../support/until.ts';

interface Double extends AsyncDisposable {
	readonly port: number;
	readonly opsPort: number;
	isReady: boolean;
	/** Has too much work, and says so. */
	isFull: boolean;
	/** Milliseconds until it answers. */
	delayMs: number;
	/** Requests that it works on, and the most that there were. */
	readonly load: { now: number; most: number };
	/** How many checks were answered, and how. */
	readonly checks: { ready: number; notReady: number };
	/** Takes requests and ends without an answer. */
	isDying: boolean;
	/** Requests that it was sent. */
	asked: number;
	/** From here on no connection is taken; checks are answered as before. */
	refuse(): Promise<void>;
	/** Takes connections again. */
	comeBack(): Promise<void>;
}

const listening = async (server: Server): Promise<number> => {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
};

const ended = async (server: Server): Promise<void> => {
	if (!server.listening) return;
	server.close();
	server.closeAllConnections();
	await once(server, 'close');
};

async function startDouble(): Promise<Double> {
	// As long as the model server keeps them, so that the balancer ends idle connections first.
	const server = createServer({ keepAliveTimeout: 15_000 }, (request, response) => {
		double.load.most = Math.max(double.load.most, ++double.load.now);
		response.once('close', () => double.load.now--);
		double.asked++;
		if (double.isDying) return void request.resume().once('end', () => request.socket.destroy());
		if (double.isFull) response.statusCode = 503;
		request.resume().once('end', () => setTimeout(() => response.end('answered'), double.delayMs));
	});
	const ops = createServer((_, response) => {
		double.checks[double.isReady ? 'ready' : 'notReady']++;
		response.writeHead(double.isReady ? 200 : 503).end();
	});
	const [port, opsPort] = [await listening(server), await listening(ops)];
	const double: Double = {
		port,
		opsPort,
		isReady: true,
		isFull: false,
		delayMs: 0,
		load: { now: 0, most: 0 },
		checks: { ready: 0, notReady: 0 },
		isDying: false,
		asked: 0,
		refuse: () => ended(server),
		comeBack: async () => {
			server.listen(port, '127.0.0.1');
			await once(server, 'listening');
		},
		[Symbol.asyncDispose]: async () => {
			await Promise.all([ended(server), ended(ops)]);
		},
	};
	return double;
}

test('while no server is ready by its checks, requests are answered all the same', {
	skip: haproxyMissing,
}, async () => {
	await using one = await startDouble();
	await using two = await startDouble();
	using balancer = await startBalancer(one, two);
	await untilAllServe(balancer);
	one.isReady = false;
	two.isReady = false;
	// More than it takes to leave a server out.
	await until(
		'both were found not ready',
		() => one.checks.notReady > 3 && two.checks.notReady > 3,
	);
	for (let at = 0; at < 9; at++) assert.ok(await balancer.servedBy(`conversation ${at}`));
	const [before, earlier] = [one.checks.ready, two.checks.ready];
	one.isReady = true;
	two.isReady = true;
	await until(
		'both are found again',
		() => one.checks.ready > before && two.checks.ready > earlier,
	);
	await untilAllServe(balancer);
});

test('requests for a server that takes no connection go to the other one at once', {
	skip: haproxyMissing,
}, async () => {
	await using one = await startDouble();
	await using two = await startDouble();
	using balancer = await startBalancer(one, two);
	await untilAllServe(balancer);
	await two.refuse();
	const served = Array.from({ length: 21 }, (_, at) => balancer.servedBy(`conversation ${at}`));
	assert.deepEqual(new Set(await Promise.all(served)), new Set(['one']));
});

test('what a server has no room for is answered by another, few at a time and in a crowd', {
	skip: haproxyMissing,
}, async () => {
	await using one = await startDouble();
	await using two = await startDouble();
	await using three = await startDouble();
	using balancer = await startBalancer(one, two, three);
	await untilAllServe(balancer, 3);
	one.isFull = true;
	for (const double of [one, two, three]) double.delayMs = 50;
	for (const count of [1, 60]) {
		const names = Array.from({ length: count === 1 ? 12 : 60 }, (_, at) => `talk ${at * 7919}`);
		const served: (string | undefined)[] = [];
		if (count > 1)
			served.push(...(await Promise.all(names.map((name) => balancer.servedBy(name)))));
		else for (const name of names) served.push(await balancer.servedBy(name));
		assert.deepEqual(new Set(served), new Set(['two', 'three']), `${count} at a time`);
	}
});

test('a server that is slow gets no more than its share and a half, and the rest is answered by others', {
	skip: haproxyMissing,
}, async () => {
	await using one = await startDouble();
	await using two = await startDouble();
	await using three = await startDouble();
	using balancer = await startBalancer(one, two, three);
	await untilAllServe(balancer, 3);
	for (const double of [one, two, three]) {
		double.load.most = 0;
		double.delayMs = 300;
	}
	two.delayMs = 3000;
	const served = await Promise.all(
		Array.from({ length: 90 }, (_, at) => balancer.servedBy(`conversation ${at * 7919}`)),
	);
	assert.ok(served.every((name) => name !== undefined));
	// Those of its part among the first twelve, and of the others half as much again as the mean.
	assert.ok(two.load.most <= 12 + 39, `the slow one had ${two.load.most} of 90 at once`);
});

test('what many ask with one key at once is spread, and what few ask stays at one server', {
	skip: haproxyMissing,
}, async () => {
	await using one = await startDouble();
	await using two = await startDouble();
	using balancer = await startBalancer(one, two);
	await untilAllServe(balancer);
	one.delayMs = 300;
	two.delayMs = 300;
	const asked = (count: number) =>
		Promise.all(Array.from({ length: count }, () => balancer.servedBy('the same direction')));
	for (let round = 0; round < 5; round++) assert.equal(new Set(await asked(4)).size, 1);
	const many = await asked(40);
	const most = Math.max(...['one', 'two'].map((name) => many.filter((by) => by === name).length));
	assert.ok(most <= 4 + 27, `${most} of 40 at one server`);
	assert.equal(new Set(await asked(4)).size, 1, 'afterwards as before');
});

const keys = Array.from({ length: 240 }, (_, at) => `conversation ${at * 7919}`);

test('a server that comes takes conversations of its own part, and one that goes gives only these away', {
	skip: haproxyMissing,
}, async () => {
	await using one = await startDouble();
	await using two = await startDouble();
	await using three = await startDouble();
	three.isReady = false;
	using balancer = await startBalancer(one, two, three);
	await until('one and two serve, three does not', async () => {
		const names = new Set(await Promise.all(keys.map((key) => balancer.servedBy(key))));
		return names.size === 2 && !names.has('three');
	});
	const setReady = async (isReady: boolean) => {
		three.isReady = isReady;
		const kind = isReady ? 'ready' : 'notReady';
		const before = three.checks[kind];
		// As many checks as it takes to leave a server out.
		await until('it was checked', () => three.checks[kind] > before + 3);
	};
	const places = async () => {
		const found: (string | undefined)[] = [];
		for (const key of keys) found.push(await balancer.servedBy(key));
		return found;
	};
	const first = await places();
	await setReady(true);
	const added = await places();
	const sentOn = added.filter((name, at) => name !== first[at] && name !== 'three').length;
	const moved = added.filter((name) => name === 'three').length;
	assert.equal(sentOn, 0, 'moved between the two that were there');
	// A third, give or take what hashes do with so few.
	assert.ok(moved > 40 && moved < 120, `${moved} of 240 moved to the third`);
	await setReady(false);
	const gone = await places();
	const lost = gone.filter((name, at) => name !== first[at]).length;
	assert.equal(lost, 0, 'elsewhere than before it came');
});

test('files, batches and documents of a person stay at one server, however many are open', {
	skip: haproxyMissing,
}, async () => {
	await using one = await startDouble();
	await using two = await startDouble();
	using balancer = await startBalancer(one, two);
	await untilAllServe(balancer);
	one.delayMs = 200;
	two.delayMs = 200;
	const paths = [
		...[
			'/v1/files',
			'/v1/files/file-1/content',
			'/v1/batches?limit=2',
			'/v1/batches/batch_1/cancel',
		],
		'/translator/document/batches?api-version=2024-05-01',
		'/translator/document/batches/batch_1/documents?api-version=2024-05-01&maxpagesize=100',
		'/endpoint/translator/document/batches?api-version=2024-05-01',
	];
	const served = async (headers: Record<string, string>): Promise<Set<string | null>> => {
		const calls = [...paths, ...paths].map(async (path, at) => {
			const other = { 'x-conversation': `talk ${at * 7919}`, ...headers };
			const answer = await fetch(`${balancer.url}${path}`, { headers: other });
			await answer.text();
			return answer.headers.get('x-served-by');
		});
		return new Set(await Promise.all(calls));
	};
	const all = new Set<string | null>();
	for (const name of ['x-ms-client-principal-id', 'authorization', 'x-api-key', 'api-key'])
		for (let person = 0; person < 4; person++) {
			const by = await served({ [name]: `person ${person * 7919}` });
			assert.equal(by.size, 1, `${name} ${person}`);
			for (const server of by) all.add(server);
		}
	assert.equal(all.size, 2, 'people are told apart');
	// Whichever way a key is shown.
	assert.deepEqual(
		await served({ authorization: 'Bearer ngk_one' }),
		await served({ 'x-api-key': 'ngk_one' }),
	);
});

/** Somebody whose files lie with the second server. */
const personOf = async (url: string, name: string): Promise<Record<string, string>> => {
	for (let person = 0; ; person++) {
		const headers = { authorization: `Bearer ngk_${person * 7919}` };
		const answer = await fetch(`${url}/v1/files`, { headers });
		if (answer.headers.get('x-served-by') === name) return headers;
	}
};

test('while the server of a person is away nobody else says that there are no such files', {
	skip: haproxyMissing,
}, async () => {
	await using one = await startDouble();
	await using two = await startDouble();
	using balancer = await startBalancer(one, two);
	await untilAllServe(balancer);
	const headers = await personOf(balancer.url, 'two');
	await two.refuse();
	two.isReady = false;
	const before = one.asked;
	const [get, post] = await Promise.all([
		fetch(`${balancer.url}/v1/batches/batch_1`, { headers }),
		fetch(`${balancer.url}/v1/files`, { headers, method: 'POST', body: 'file' }),
	]);
	for (const answer of [get, post]) {
		assert.equal(answer.status, 503);
		assert.equal(answer.headers.get('retry-after'), '5');
		const { error } = (await answer.json()) as { readonly error: { readonly code: string } };
		assert.equal(error.code, 'daemon_unavailable');
	}
	assert.equal(one.asked, before);
	// One that is short is not seen.
	const late = fetch(`${balancer.url}/v1/batches/batch_1`, { headers });
	await two.comeBack();
	assert.equal((await late).headers.get('x-served-by'), 'two');
	// Whoever takes connections is asked, also while all are late for their checks.
	one.isReady = false;
	const failed = [one.checks.notReady, two.checks.notReady];
	await until(
		'both were found not ready',
		() =>
			one.checks.notReady > Number(failed[0]) + 3 && two.checks.notReady > Number(failed[1]) + 3,
	);
	for (let round = 0; round < 5; round++) {
		const answer = await fetch(`${balancer.url}/v1/batches/batch_1`, { headers });
		assert.equal(answer.headers.get('x-served-by'), 'two');
	}
});

test('where servers share files and batches, another answers for one that is away', {
	skip: haproxyMissing,
}, async () => {
	await using one = await startDouble();
	await using two = await startDouble();
	using balancer = await startBalancerWith({ NEARGLOT_BATCHES_SHARED: 'yes' }, one, two);
	await untilAllServe(balancer);
	const headers = await personOf(balancer.url, 'two');
	await two.refuse();
	const answer = await fetch(`${balancer.url}/v1/batches/batch_1`, { headers });
	assert.equal(answer.headers.get('x-served-by'), 'one');
});

for (const shared of ['', 'yes'])
	test(`a batch or a conversation whose server ends before it answers is made once, ${shared ? 'shared' : 'kept by one'}`, {
		skip: haproxyMissing,
	}, async () => {
		await using one = await startDouble();
		await using two = await startDouble();
		using balancer = await startBalancerWith({ NEARGLOT_BATCHES_SHARED: shared }, one, two);
		await untilAllServe(balancer);
		one.isDying = true;
		two.isDying = true;
		for (const path of ['/v1/batches', '/v1/conversations', '/v1/conversations/c/items']) {
			const before = one.asked + two.asked;
			// Whether it is told in words or by the end of the connection is for HAProxy to say.
			const answer = await fetch(`${balancer.url}${path}`, { method: 'POST', body: '{}' }).catch(
				() => undefined,
			);
			assert.equal(one.asked + two.asked - before, 1, path);
			if (answer === undefined) continue;
			assert.deepEqual([answer.status, answer.headers.has('retry-after')], [502, false], path);
			const { error } = (await answer.json()) as { error: { message: string; code: string } };
			assert.equal(error.code, 'upstream_failed');
			assert.match(error.message, /may have been done/);
		}
	});
