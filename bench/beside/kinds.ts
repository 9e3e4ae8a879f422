/** Requests of every kind: a short one that is timed to its first text, and a long one to be beside it. */

import { readFileSync } from 'node:fs';

export interface Server {
	readonly url: string;
	readonly key: string;
}

export interface Kind {
	readonly name: string;
	/** Model that is loaded; its folder is given on the command line where it is not built in. */
	readonly model: string;
	/** Milliseconds to the first text of a short request. `turn` makes it differ from all others. */
	short(server: Server, turn: number): Promise<number>;
	/** A long request of one of those beside it. */
	long(server: Server, turn: number, signal: AbortSignal): Promise<void>;
}

const words =
	'the file server could not open a folder because its name is too long for this system'.split(' ');

/** A sentence of so many words that no other turn has. */
function sentence(turn: number, count: number): string {
	// Numbers are masked before a text is looked up in a cache, so the words have to differ.
	const text = Array.from(
		{ length: count },
		(_, at) => words[(Math.floor(turn / words.length ** (at % 7)) + at * 5) % words.length],
	);
	return `${text.join(' ')} ${turn}.`;
}

async function post(
	{ url, key }: Server,
	path: string,
	body: object,
	signal?: AbortSignal,
): Promise<Response> {
	const isForm = body instanceof FormData;
	const response = await fetch(url + path, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${key}`,
			'ocp-apim-subscription-key': key,
			...(isForm ? {} : { 'content-type': 'application/json' }),
		},
		body: isForm ? body : JSON.stringify(body),
		...(signal === undefined ? {} : { signal }),
	});
	if (response.ok) return response;
	throw new Error(`${path} answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
}

/** Milliseconds until a stream has a piece that matches; the rest is read to its end. */
async function firstPiece(answer: Promise<Response>, piece: RegExp): Promise<number> {
	const began = performance.now();
	let first = Number.NaN;
	let text = '';
	const decoder = new TextDecoder();
	for await (const bytes of (await answer).body ?? []) {
		text += decoder.decode(bytes as Uint8Array, { stream: true });
		if (Number.isNaN(first) && piece.test(text)) first = performance.now() - began;
	}
	if (Number.isNaN(first)) throw new Error(`The stream had no text: ${text.slice(0, 300)}`);
	return first;
}

/** Milliseconds until a whole answer is there. */
async function whole(answer: Promise<Response>): Promise<number> {
	const began = performance.now();
	await (await answer).arrayBuffer();
	return performance.now() - began;
}

const drain = async (answer: Promise<Response>): Promise<void> => void (await whole(answer));

function chat(model: string, turn: number, tokens: number): object {
	const messages = [{ role: 'user', content: sentence(turn, 12) }];
	return { model, stream: true, temperature: 0.8, seed: turn, max_tokens: tokens, messages };
}

function completion(model: string, turn: number, tokens: number): object {
	const prompt = sentence(turn, 12);
	return { model, stream: true, temperature: 0.8, seed: turn, max_tokens: tokens, prompt };
}

const translatePath = '/translate?api-version=3.0&from=en&to=de';
const texts = (turn: number, count: number): object[] =>
	Array.from({ length: count }, (_, at) => ({ Text: sentence(turn * 1000 + at, 14) }));

/** Speech of about ten seconds, as often as that. */
function recording(times: number): FormData {
	const path = new URL('../../test/fixtures/speech/annie.flac', import.meta.url);
	const data = new FormData();
	if (times === 1) data.set('file', new Blob([new Uint8Array(readFileSync(path))]), 'short.flac');
	else data.set('file', new Blob([noisyWav(times * 10)]), 'long.wav');
	data.set('model', 'starter-speech');
	data.set('stream', 'true');
	return data;
}

/** Bursts of a hum between pauses, which a detector takes for speech often enough. */
function noisyWav(seconds: number): Uint8Array<ArrayBuffer> {
	const rate = 16_000;
	const bytes = new DataView(new ArrayBuffer(44 + seconds * rate * 2));
	const ascii = (at: number, text: string) =>
		[...text].forEach((letter, index) => {
			bytes.setUint8(at + index, letter.charCodeAt(0));
		});
	ascii(0, 'RIFF');
	bytes.setUint32(4, bytes.byteLength - 8, true);
	ascii(8, 'WAVEfmt ');
	bytes.setUint32(16, 16, true);
	bytes.setUint16(20, 1, true);
	bytes.setUint16(22, 1, true);
	bytes.setUint32(24, rate, true);
	bytes.setUint32(28, rate * 2, true);
	bytes.setUint16(32, 2, true);
	bytes.setUint16(34, 16, true);
	ascii(36, 'data');
	bytes.setUint32(40, seconds * rate * 2, true);
	for (let at = 0; at < seconds * rate; at++) {
		const pitch = 140 + 60 * Math.sin(at / 4000);
		const voiced = Math.sin((at / rate) * 0.9) > -0.3 ? 1 : 0;
		const value = Math.sin((at / rate) * 2 * Math.PI * pitch) + 0.5 * Math.sin((at / rate) * 5300);
		bytes.setInt16(44 + at * 2, voiced * value * 8000, true);
	}
	return new Uint8Array(bytes.buffer);
}

export function kinds(models: {
	readonly chat: string;
	readonly embedder: string | undefined;
}): Kind[] {
	const { chat: chatModel, embedder } = models;
	// Tokens of random weights are hardly ever text: there a short answer is one token, and its end is looked for.
	const shortTokens = chatModel === 'starter-chat' ? 8 : 1;
	const ofText = (name: string) => new RegExp(`"${name}":"[^"]|"finish_reason":"`);
	return [
		{
			name: 'chat',
			model: chatModel,
			short: (server, turn) =>
				firstPiece(
					post(server, '/v1/chat/completions', chat(chatModel, turn, shortTokens)),
					ofText('content'),
				),
			long: (server, turn, signal) =>
				drain(post(server, '/v1/chat/completions', chat(chatModel, turn, 2000), signal)),
		},
		{
			name: 'completion',
			model: chatModel,
			short: (server, turn) =>
				firstPiece(
					post(server, '/v1/completions', completion(chatModel, turn, shortTokens)),
					ofText('text'),
				),
			long: (server, turn, signal) =>
				drain(post(server, '/v1/completions', completion(chatModel, turn, 2000), signal)),
		},
		{
			name: 'translation beside files',
			model: 'starter-translate',
			short: (server, turn) => whole(post(server, translatePath, texts(turn, 1))),
			long: (server, turn, signal) => drain(post(server, translatePath, texts(turn, 400), signal)),
		},
		{
			name: 'translation beside pages',
			model: 'starter-translate',
			short: (server, turn) => whole(post(server, translatePath, texts(turn, 1))),
			long: (server, turn, signal) => drain(post(server, translatePath, texts(turn, 36), signal)),
		},
		{
			name: 'speech',
			model: 'starter-speech',
			short: (server) =>
				firstPiece(post(server, '/v1/audio/transcriptions', recording(1)), /"delta":"./),
			long: (server, _, signal) =>
				drain(post(server, '/v1/audio/transcriptions', recording(18), signal)),
		},
		...(embedder === undefined
			? []
			: [
					{
						name: 'embeddings',
						model: embedder,
						short: (server: Server, turn: number) =>
							whole(
								post(server, '/v1/embeddings', { model: embedder, input: [sentence(turn, 14)] }),
							),
						long: (server: Server, turn: number, signal: AbortSignal) => {
							const input = Array.from({ length: 64 }, (_, at) => sentence(turn * 1000 + at, 60));
							return drain(post(server, '/v1/embeddings', { model: embedder, input }, signal));
						},
					},
				]),
	];
}
