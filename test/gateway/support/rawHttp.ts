/** HTTP by hand on a socket, so that tests decide every byte of a request. */

import { connect, type Socket } from 'node:net';

export interface RawAnswer {
	readonly status: number;
	readonly headers: readonly (readonly [string, string])[];
	readonly body: string;
	/** Single header value, lower-case name. */
	header(name: string): string | undefined;
	setCookies(): string[];
	json(): unknown;
}

export interface RawCall {
	readonly method?: string;
	readonly target: string;
	readonly host?: string;
	/** Header lines as they are written. */
	readonly headers?: readonly string[];
	readonly body?: string;
}

/** The bytes of a request head and body. */
export function requestText(call: RawCall, connection = 'close'): string {
	const body = call.body ?? '';
	const lines = [
		`${call.method ?? 'GET'} ${call.target} HTTP/1.1`,
		`Host: ${call.host ?? 'app.example'}`,
		...(connection === '' ? [] : [`Connection: ${connection}`]),
		...(call.headers ?? []),
		...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
	];
	return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends one request and reads until the server closes. */
export async function rawCall(port: number, call: RawCall): Promise<RawAnswer> {
	return parseAnswer(await exchangeBytes(port, requestText(call)));
}

/** Sends bytes and returns all that comes back until the connection ends. */
export function exchangeBytes(
	port: number,
	bytes: string | Buffer,
	timeoutMs = 20_000,
): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
		socket.setTimeout(timeoutMs, () => {
			socket.destroy();
			reject(
				new Error(
					`no end of the answer within ${timeoutMs} ms: ${Buffer.concat(chunks).toString('latin1').slice(0, 300)}`,
				),
			);
		});
		socket.on('data', (chunk: Buffer) => chunks.push(chunk));
		socket.on('error', () => {});
		socket.on('close', () => resolve(Buffer.concat(chunks)));
	});
}

export interface Upgraded {
	readonly answer: RawAnswer;
	readonly socket: Socket;
}

/** Asks for a WebSocket and returns the head of the answer; the caller ends the socket. */
export function rawUpgrade(port: number, call: RawCall): Promise<Upgraded> {
	const headers = [
		'Upgrade: websocket',
		'Sec-WebSocket-Version: 13',
		'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
		...(call.headers ?? []),
	];
	const connection = call.headers?.some((line) => /^connection:/i.test(line)) ? '' : 'Upgrade';
	return new Promise((resolve, reject) => {
		let text = Buffer.alloc(0);
		const socket = connect(port, '127.0.0.1', () =>
			socket.write(requestText({ ...call, headers }, connection)),
		);
		const finish = () => {
			socket.removeAllListeners('data');
			resolve({ answer: parseAnswer(text), socket });
		};
		socket.setTimeout(20_000, () => {
			socket.destroy();
			reject(new Error('no answer to the upgrade'));
		});
		socket.on('error', () => {});
		socket.on('data', (chunk: Buffer) => {
			text = Buffer.concat([text, chunk]);
			if (text.indexOf('HTTP/1.1 101') === 0 && text.includes('\r\n\r\n')) finish();
		});
		socket.on('close', finish);
	});
}

/** Splits the bytes of an answer; a chunked body is put together. */
export function parseAnswer(bytes: Buffer): RawAnswer {
	const at = bytes.indexOf('\r\n\r\n');
	const head = (at < 0 ? bytes : bytes.subarray(0, at)).toString('latin1');
	const [first = '', ...lines] = head.split('\r\n');
	const headers = lines.map((line) => {
		const colon = line.indexOf(':');
		return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
	});
	const value = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1];
	const rest = at < 0 ? Buffer.alloc(0) : bytes.subarray(at + 4);
	const body = (value('transfer-encoding') === 'chunked' ? unchunk(rest) : rest).toString('utf8');
	return {
		status: Number(first.split(' ')[1] ?? 0),
		headers,
		body,
		header: value,
		setCookies: () =>
			headers.filter(([key]) => key.toLowerCase() === 'set-cookie').map(([, text]) => text),
		json: () => JSON.parse(body) as unknown,
	};
}

function unchunk(bytes: Buffer): Buffer {
	const parts: Buffer[] = [];
	let at = 0;
	for (;;) {
		const end = bytes.indexOf('\r\n', at);
		const size = Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
		if (end < 0 || !(size > 0)) return Buffer.concat(parts);
		parts.push(bytes.subarray(end + 2, end + 2 + size));
		at = end + 2 + size + 2;
	}
}
