/** A layer whose upstream leads back to it ends the first request, instead of asking itself without end. */

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { Hops, hopHeader, leadsBack } from '../../server/gateway/proxy/hops.ts';
import { Harness } from './support/harness.ts';

test('a request that comes back through another server is answered with 508', async () => {
	let passed = 0;
	let back = 0;
	// What leads back may be any server in between: only the request itself can tell.
	const relay = createServer((socket) => {
		passed++;
		const next = connect(back, '127.0.0.1');
		socket.pipe(next).pipe(socket);
		for (const each of [socket, next]) each.on('error', () => {});
	});
	await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
	const { port } = relay.address() as AddressInfo;
	await using layer = await Harness.start({
		upstream: `http://127.0.0.1:${port}`,
		config: { 'x-gateway': { preserveHost: true } },
	});
	back = layer.gateway.port;
	try {
		for (const target of ['/public/x', '/health']) {
			const { status, body } = await layer.get(target);
			assert.equal(status, 508, body);
			assert.match(body, /loop_detected.*--upstream leads to itself/);
		}
		assert.ok(passed <= 2, `${passed} connections`);
	} finally {
		relay.close();
	}
});

test('marks of layers before this one are kept, and only the own one is a loop', () => {
	const [outer, inner] = [new Hops(), new Hops()];
	const first = outer.line([]);
	assert.equal(first[0], hopHeader);
	assert.equal(inner.problem([...first]), undefined);
	const second = inner.line([...first]);
	assert.ok(second[1].startsWith(`${first[1]}, `));
	assert.equal(outer.problem([...second])?.status, 508);
	assert.equal(inner.problem(['Nearglot-Gateway-Hop', second[1]])?.status, 508);
	assert.equal(outer.problem([hopHeader, 'anything']), undefined);
});

test('an own address is known by its names; another port or address is another server', () => {
	const listen = (host: string) => ({ host, port: 80 });
	for (const [hostname, host, leads] of [
		['127.0.0.1', '127.0.0.1', true],
		['localhost', '127.0.0.1', true],
		['127.0.0.1', 'localhost', true],
		['127.0.0.2', '127.0.0.1', false],
		['127.0.0.1', '0.0.0.0', true],
		['::1', '::', true],
		['0.0.0.0', '127.0.0.1', true],
		['10.255.255.1', '127.0.0.1', false],
		['app.example', '0.0.0.0', false],
	] as const) {
		assert.equal(leadsBack({ hostname, port: 80 }, listen(host), 80), leads, `${hostname} ${host}`);
		assert.equal(leadsBack({ hostname, port: 81 }, listen(host), 80), false);
	}
});
