/** Whose program is at the other end, told by the socket tables of Linux. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { type Ends, PeerUsers, socketOwner } from '../../server/http/peerUser.ts';
import { startTestServer } from '../support/testServer.ts';

const head =
	'  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (ends: string, state: string, uid: number, inode: number) =>
	`   0: ${ends} ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 00000000db77a876 100 0 0 10 0\n`;
const ends: Ends = {
	remoteAddress: '127.0.0.1',
	remotePort: 0x87ac,
	localAddress: '127.0.0.1',
	localPort: 0x1f90,
};
const plain = '0100007F:87AC 0100007F:1F90';
const mapped = '0000000000000000FFFF00000100007F:87AC 0000000000000000FFFF00000100007F:1F90';
const six = '00000000000000000000000001000000:87AC 00000000000000000000000001000000:1F90';

test('the row of the other end is found, in both tables and forms', () => {
	const other = row('0100007F:1F90 0100007F:87AC', '01', 1, 5);
	assert.equal(socketOwner([head + other + row(plain, '01', 1000, 7), head], ends), 1000);
	assert.equal(socketOwner([head + other, head + row(mapped, '01', 1001, 7)], ends), 1001);
	const sixEnds = { ...ends, remoteAddress: '::1', localAddress: '::1' };
	assert.equal(socketOwner([head, head + row(six, '01', 1002, 7)], sixEnds), 1002);
	const mappedEnds = {
		...ends,
		remoteAddress: '::ffff:127.0.0.1',
		localAddress: '::ffff:127.0.0.1',
	};
	assert.equal(socketOwner([head + row(plain, '01', 1000, 7), head], mappedEnds), 1000);
	assert.equal(
		socketOwner([head + other, head], ends),
		undefined,
		'the server’s own row is not it',
	);
	assert.equal(socketOwner(['', ''], ends), undefined);
});

test('a socket that its process has given up is nobody’s, though the table says root', () => {
	for (const [state, inode] of [
		['06', 0],
		['04', 0],
		['05', 0],
		['01', 0],
		['06', 7],
		['0A', 7],
	] as const)
		assert.equal(socketOwner([head + row(plain, state, 0, inode)], ends), undefined, state);
	// One that only stopped sending still waits for the answer.
	assert.equal(socketOwner([head + row(plain, '05', 1000, 7)], ends), 1000);
});

test('the same user and root pass, others and the number of nobody known do not', async () => {
	const socket = () => ({ ...ends }) as Socket;
	const ask = (uid: number, readTable = async () => head + row(plain, '01', uid, 7)) =>
		new PeerUsers({ platform: 'linux', uid: 1000, readTable }).of(socket());
	assert.equal(await ask(1000), 'same');
	assert.equal(await ask(0), 'same');
	assert.equal(await ask(1001), 'other');
	assert.equal(await ask(65_534), 'unknown');
	assert.equal(await ask(1000, () => Promise.reject(new Error('no /proc'))), 'unknown');
	assert.equal(await ask(1000, async () => head), 'unknown');
	const elsewhere = new PeerUsers({ platform: 'darwin', uid: 1000, readTable: async () => '' });
	assert.equal(await elsewhere.of(socket()), 'untold');
});

test('a connection asks once, connections together read once, and nobody gets an older reading', async () => {
	let readings = 0;
	let table = head;
	let release = () => {};
	const held = new Promise<void>((resolve) => {
		release = resolve;
	});
	const peers = new PeerUsers({
		platform: 'linux',
		uid: 1000,
		readTable: async (name) => {
			if (name === 'tcp6') return '';
			readings++;
			const read = table;
			if (readings === 1) await held;
			return read;
		},
	});
	table = head + row(plain, '01', 1000, 7);
	const first = { ...ends } as Socket;
	const before = [peers.of(first), peers.of(first), peers.of({ ...ends } as Socket)];
	// Made while the first reading is under way, which cannot know it.
	await new Promise((resolve) => setImmediate(resolve));
	const late = { ...ends, remotePort: 0x87ad } as Socket;
	table += row(plain.replace('87AC', '87AD'), '01', 1001, 8);
	const after = [peers.of(late), peers.of(late)];
	release();
	assert.deepEqual(await Promise.all(before), ['same', 'same', 'same']);
	assert.deepEqual(await Promise.all(after), ['other', 'other']);
	assert.equal(readings, 2);
	assert.equal(await peers.of(first), 'same');
	assert.equal(readings, 2);
});

test('this system tells that a connection of this process is this user’s', {
	skip: process.platform !== 'linux' && 'only Linux tells whose a connection is',
}, async () => {
	for (const host of ['127.0.0.1', '::1', '::']) {
		const server = createServer();
		server.listen(0, host);
		const started = await Promise.race([
			once(server, 'listening').then(() => true),
			once(server, 'error').then(() => false),
		]);
		if (!started) continue;
		const { port } = server.address() as AddressInfo;
		const client = connect(port, host === '::' ? '127.0.0.1' : host);
		const [socket] = (await once(server, 'connection')) as [Socket];
		assert.equal(await new PeerUsers().of(socket), 'same', host);
		client.destroy();
		socket.destroy();
		server.close();
	}
});

const isRoot = process.platform === 'linux' && process.geteuid?.() === 0;

test('another user of this computer is refused without the key, and let in with it', {
	skip: !isRoot && 'only root can start a program of another user',
}, async () => {
	const server = await startTestServer({ fakeRunner: true });
	try {
		const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
			const { port } = new URL(server.url);
			const lines = Object.entries({ Host: `127.0.0.1:${port}`, Connection: 'close', ...headers });
			const request = `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
			// What every system has, whoever may read the folder of Node.
			const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf '%s' "$REQUEST" >&3; cat <&3`;
			const child = spawn('/bin/bash', ['-c', script], {
				uid: 54_321,
				gid: 54_321,
				cwd: '/',
				env: { PATH: '/usr/bin:/bin', REQUEST: request },
				stdio: ['ignore', 'pipe', 'inherit'],
			});
			let text = '';
			child.stdout.setEncoding('utf8').on('data', (part: string) => {
				text += part;
			});
			await once(child, 'close');
			return text;
		};
		for (const path of ['/v1/models', '/openai/unloadall', '/openai/status', '/no/such/route']) {
			const answer = await ask(path);
			assert.match(answer, /^HTTP\/1\.1 401 /, path);
			assert.match(answer, /comes from another user of this computer/, path);
		}
		assert.match(await ask('/health'), /\{"status":"ok"\}/);
		const keyed = await ask('/v1/models', { Authorization: `Bearer ${server.key}` });
		assert.match(keyed, /^HTTP\/1\.1 200 /);
	} finally {
		await server.close();
	}
});
