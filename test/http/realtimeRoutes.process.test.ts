/** `/v1/realtime` by a plain socket: turns, commits, refusals, and ends. */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { Resampler } from '../../server/audio/resampler.ts';
import { AppError } from '../../server/protocol/index.ts';
import { openRealtime, pcm16 } from '../support/realtimeClient.ts';
import { type SpeechServer, startSpeechServer } from '../support/speechServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { tones } from '../support/toneModel.ts';
import { until } from '../support/until.ts';

const key = 'key-of-the-test-server';
const folder = temporaryFolder('realtime');
let server: SpeechServer;
let locked: SpeechServer;
before(async () => {
	process.env['TMPDIR'] = folder;
	process.env['TEMP'] = folder;
	server = await startSpeechServer({ realtime: { idleMs: 60_000 } });
	locked = await startSpeechServer({
		requireKey: true,
		realtime: { maxSessions: 2, idleMs: 400, pingMs: 100, closeMs: 100 },
	});
});
after(() => Promise.all([server.close(), locked.close()]));

const at24 = (samples: Float32Array) => new Resampler(16_000, 24_000).push(samples);
const spoken = tones([
	{ words: [1, 2, 3], gapS: 0.05, pauseS: 1.2 },
	{ words: [4, 5], gapS: 0.05, pauseS: 1.2 },
]);
const sound = at24(spoken);
const manual = {
	type: 'session.update',
	session: { type: 'transcription', audio: { input: { turn_detection: null } } },
};

test('silence ends turns, and each becomes text', async () => {
	const client = await openRealtime(server.url, { query: 'intent=transcription&model=tones' });
	const created = await client.next('session.created');
	assert.match(JSON.stringify(created), /"type":"transcription".*"rate":24000.*"server_vad"/);
	client.say(sound, 24_000);
	await client.next('conversation.item.input_audio_transcription.completed');
	await client.next('conversation.item.input_audio_transcription.completed');
	assert.equal(client.text(), 'w1 w2 w3 w4 w5');
	const order = client.seen.map(({ type }) => type.replace('input_audio_buffer.', ''));
	assert.deepEqual(order.slice(1, 6), [
		...['speech_started', 'speech_stopped', 'committed'],
		...['conversation.item.added', 'conversation.item.done'],
	]);
	const [first, second] = client.seen.filter(({ type }) => type.endsWith('committed'));
	assert.equal(first?.['previous_item_id'], null);
	assert.equal(second?.['previous_item_id'], first?.['item_id']);
	const starts = client.seen.filter(({ type }) => type.endsWith('speech_started'));
	assert.ok(
		Math.abs(Number(starts[1]?.['audio_start_ms']) - (2350 - 300)) < 100,
		String(starts[1]),
	);
	assert.match(
		JSON.stringify(server.used),
		/"route":"\/v1\/realtime","model":"tones:1","status":200/,
	);
	client.socket.close();
});

test('without turn detection the client commits, and clears what it does not want', async () => {
	const client = await openRealtime(server.url);
	client.send(manual);
	const updated = await client.next('session.updated');
	assert.match(JSON.stringify(updated), /"turn_detection":null/);
	client.send({ type: 'input_audio_buffer.commit', event_id: 'mine' });
	const { error } = await client.next('error');
	assert.deepEqual(error, {
		type: 'invalid_request_error',
		code: 'input_audio_buffer_commit_empty',
		message: (error as { message: string }).message,
		param: null,
		event_id: 'mine',
	});
	client.say(sound, 24_000);
	client.send({ type: 'input_audio_buffer.clear' });
	await client.next('input_audio_buffer.cleared');
	client.say(sound.subarray(0, 24_000 * 2), 24_000, 0.37);
	client.send({ type: 'input_audio_buffer.commit' });
	const done = await client.next('conversation.item.input_audio_transcription.completed');
	assert.equal(done['transcript'], 'w1 w2 w3');
	assert.deepEqual(done['usage'], { type: 'duration', seconds: 2 });
	const deltas = client.seen.filter(({ type }) => type.endsWith('transcription.delta'));
	assert.equal(deltas.map(({ delta }) => delta).join(''), 'w1 w2 w3');
	client.socket.close();
});

test('the form before the published one, G.711, and samples cut in two', async () => {
	const client = await openRealtime(server.url, { headers: { 'OpenAI-Beta': 'realtime=v1' } });
	await client.next('transcription_session.created');
	client.send({
		type: 'transcription_session.update',
		session: {
			input_audio_format: 'pcm16',
			input_audio_transcription: { model: 'tones', language: 'en', prompt: 'Kyoto' },
			turn_detection: { type: 'server_vad', threshold: 0.4, silence_duration_ms: 300 },
			input_audio_noise_reduction: { type: 'near_field' },
			include: ['item.input_audio_transcription.logprobs'],
		},
	});
	const updated = await client.next('transcription_session.updated');
	assert.deepEqual(updated['ignored_parameters'], ['session.input_audio_noise_reduction']);
	assert.match(
		JSON.stringify(updated),
		/"threshold":0.4,"prefix_padding_ms":300,"silence_duration_ms":300/,
	);
	const bytes = pcm16(sound);
	for (let at = 0; at < bytes.length; at += 4801)
		client.send({
			type: 'input_audio_buffer.append',
			audio: bytes.subarray(at, at + 4801).toString('base64'),
		});
	await client.next('conversation.item.created');
	const done = await client.next('conversation.item.input_audio_transcription.completed');
	assert.equal(done['transcript'], 'w1 w2 w3');
	assert.equal((done['logprobs'] as object[]).length, 3);
	assert.match(server.model.requests.at(-1)?.prompt ?? '', /^Kyoto/);
	client.socket.close();

	const phone = await openRealtime(server.url);
	phone.send({
		type: 'session.update',
		session: {
			type: 'transcription',
			audio: { input: { format: { type: 'audio/pcmu' }, turn_detection: null } },
		},
	});
	const low = new Resampler(16_000, 8000).push(spoken.subarray(0, 20_000));
	phone.send({
		type: 'input_audio_buffer.append',
		audio: Buffer.from(Uint8Array.from(low, muLaw)).toString('base64'),
	});
	phone.send({ type: 'input_audio_buffer.commit' });
	const heard = await phone.next('conversation.item.input_audio_transcription.completed');
	assert.equal(heard['transcript'], 'w1 w2 w3');
	phone.socket.close();
});

/** G.711 of a sample, by the definition. */
function muLaw(value: number): number {
	const magnitude = Math.min(32_635, Math.round(Math.abs(value) * 32_768)) + 132;
	const exponent = Math.floor(Math.log2(magnitude)) - 7;
	const mantissa = (magnitude >> (exponent + 3)) & 15;
	return ~((value < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff;
}

test('what is wrong with an event is said, and the session goes on', async () => {
	const client = await openRealtime(server.url);
	await client.next('session.created');
	const wrong: readonly (readonly [string | Buffer, string, RegExp])[] = [
		['{', 'invalid_json', /no JSON/],
		['[]', 'invalid_request', /JSON object/],
		['{"type":7}', 'invalid_request', /one of session\.update/],
		['{"type":"constructor"}', 'invalid_request', /not for transcription sessions/],
		['{"type":"response.create"}', 'invalid_request', /'response\.create' are not for/],
		['{"type":"input_audio_buffer.append"}', 'invalid_request', /'audio' is missing/],
		['{"type":"input_audio_buffer.append","audio":"%%%%"}', 'invalid_request', /base64/],
		['{"type":"input_audio_buffer.append","audio":"AAAAA"}', 'invalid_request', /base64/],
		[Buffer.alloc(3200), 'invalid_request', /base64 in input_audio_buffer/],
		[
			'{"type":"session.update","session":{"type":"realtime"}}',
			'invalid_request',
			/'session\.type' must be 'transcription'/,
		],
		[
			'{"type":"session.update","session":{"type":"transcription","audio":{"input":{"turn_detection":{"type":"semantic_vad"}}}}}',
			'invalid_request',
			/server_vad/,
		],
		[
			'{"type":"session.update","session":{"type":"transcription","audio":{"input":{"transcription":{"language":"klingon"}}}}}',
			'invalid_request',
			/no language speech models know/,
		],
		[
			'{"type":"session.update","session":{"type":"transcription","audio":{"input":{"format":{"type":"audio/pcmu","rate":16000}}}}}',
			'invalid_request',
			/must be 8000/,
		],
	];
	for (const [message, code, sentence] of wrong) {
		client.socket.send(message);
		const { error } = (await client.next('error')) as unknown as {
			error: { code: string; message: string };
		};
		assert.equal(error.code, code, error.message);
		assert.match(error.message, sentence);
	}
	client.send({
		type: 'session.update',
		session: { type: 'transcription', audio: { input: { transcription: { model: 'absent' } } } },
	});
	await client.next('session.updated');
	client.say(sound, 24_000);
	const { error } = (await client.next('error')) as unknown as { error: { code: string } };
	assert.equal(error.code, 'model_not_found');
	client.socket.close();
});

test('keys come by header and subprotocol, never by the address, and pages elsewhere are refused', async () => {
	const open = (options: Parameters<typeof openRealtime>[1]) => openRealtime(locked.url, options);
	await assert.rejects(open({}), /^Error: 401 .*invalid_api_key/);
	await assert.rejects(open({ protocols: ['realtime', 'openai-insecure-api-key.wrong'] }), /401/);
	await assert.rejects(open({ query: `api-key=${key}` }), /401/);
	const keyed = { authorization: `Bearer ${key}` };
	await assert.rejects(open({ query: `api-key=${key}`, headers: keyed }), /400 .*address/);
	await assert.rejects(open({ query: 'intent=chat', headers: keyed }), /400 .*'intent'/);
	await assert.rejects(open({ query: 'model=absent', headers: keyed }), /404 .*model_not_found/);
	const foreign = { origin: 'https://elsewhere.example' };
	await assert.rejects(open({ headers: { ...keyed, ...foreign } }), /403 .*elsewhere\.example/);
	await assert.rejects(openRealtime(server.url, { headers: foreign }), /403/);
	await assert.rejects(
		openRealtime(server.url, { headers: { host: 'rebound.example' } }),
		/403 .*rebound\.example/,
	);
	const protocols = ['realtime', `openai-insecure-api-key.${key}`, 'openai-beta.realtime-v1'];
	const first = await open({ protocols });
	assert.equal(first.socket.protocol, 'realtime');
	await first.next('transcription_session.created');
	const second = await open({ headers: { 'api-key': key } });
	await assert.rejects(open({ headers: keyed }), /503 .*live sessions/);
	// Who sends nothing is let go, with a reason.
	const { error } = (await second.next('error')) as unknown as { error: { message: string } };
	assert.match(error.message, /Nothing came for/);
	await until('it is closed', () => second.closed.code !== undefined);
	assert.equal(second.closed.code, 1000);
	await until('both are gone', () => first.closed.code !== undefined);
	const third = await open({ headers: keyed });
	third.socket.close();
});

test('a lost client, a slow one and a server that ends leave no work behind', async () => {
	const small = await startSpeechServer({
		realtime: { maxUnreadBytes: 100_000, closeMs: 50, pingMs: 60 },
	});
	small.model.delayMs = 60_000;
	const lost = await openRealtime(small.url);
	lost.send(manual);
	lost.say(sound.subarray(0, 48_000), 24_000);
	lost.send({ type: 'input_audio_buffer.commit' });
	await until('the model is at work', () => small.model.requests.length > 0);
	lost.socket.terminate();
	await until('its work has ended', () => small.model.cancelled > 0);

	// Half open: its system takes bytes, and nobody answers.
	const mute = connect(Number(new URL(small.url).port), '127.0.0.1');
	mute.write(handshake(small.url));
	await new Promise((resolve) => mute.once('data', resolve));
	const over = new Promise((resolve) => mute.once('close', resolve));
	mute.resume();
	await over;

	const slow = connect(Number(new URL(small.url).port), '127.0.0.1');
	slow.write(handshake(small.url));
	await new Promise((resolve) => slow.once('data', resolve));
	slow.pause();
	const rubbish = maskedText('{"type":"'.padEnd(200, 'x'));
	const ended = new Promise((resolve) => slow.once('close', resolve));
	slow.on('error', () => {});
	let written = 0;
	const flood = () => {
		while (!slow.destroyed && written++ < 40_000 && slow.write(rubbish));
		if (!slow.destroyed && written < 40_000) slow.once('drain', flood);
		else slow.resume();
	};
	flood();
	await ended;

	const last = await openRealtime(small.url);
	small.end(new AppError('daemon_unavailable', 'The server is ending.'));
	await until('the end is told', () => last.closed.code !== undefined);
	assert.equal(last.closed.code, 1001);
	assert.equal(last.closed.reason, 'The server is ending.');
	await small.close();
	const left = async () => (await readdir(folder, { recursive: true })).join(' ');
	await until('no sound is left', async () => !(await left()).includes('samples'), 5000);
});

const handshake = (url: string) =>
	[
		'GET /v1/realtime HTTP/1.1',
		`Host: ${new URL(url).host}`,
		...['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'],
		`Sec-WebSocket-Key: ${Buffer.alloc(16, 7).toString('base64')}`,
		...['', ''],
	].join('\r\n');

function maskedText(text: string): Buffer {
	const body = Buffer.from(text);
	const head = Buffer.from([0x81, 0x80 | 126, body.length >> 8, body.length & 255, 0, 0, 0, 0]);
	return Buffer.concat([head, body]);
}

test('other upgrades are passed over, and a request that is none is told what this is', async () => {
	const plain = await fetch(`${server.url}/v1/realtime`);
	assert.equal(plain.status, 400);
	assert.match(await plain.text(), /ws:\/\//);
	const answer = await new Promise<string>((resolve) => {
		const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
		let text = '';
		socket.on('data', (data) => {
			text += String(data);
			if (text.includes('}}')) socket.destroy();
		});
		socket.on('close', () => resolve(text));
		const body = '{"ticket":"used"}';
		socket.write(
			`POST /recorder/claim HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
		);
	});
	assert.match(answer, /^HTTP\/1\.1 403 [\s\S]*was used already/);
	const broken = await new Promise<string>((resolve) => {
		const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
		socket.once('data', (data) => resolve(String(data)));
		socket.write(handshake(server.url).replace(/Sec-WebSocket-Key.*\r\n/, ''));
	});
	assert.match(broken, /^HTTP\/1\.1 400 [\s\S]*no handshake/);
});
