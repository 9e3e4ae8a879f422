/** An hour-long recording through a daemon: memory above the loaded model, speed, and how fast a cancel frees it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readEvents } from '../../server/protocol/index.ts';
import { wavFile } from '../../test/support/madeAudio.ts';

const main = fileURLToPath(new URL('../../server/main.ts', import.meta.url));
const rateHz = 16_000;

export interface HourReport {
	readonly model: string;
	readonly seconds: number;
	readonly together: boolean;
	readonly timesRealTime: number;
	/** Largest resident set of daemon and runners above that with the model loaded. */
	readonly daemonMb: number;
	readonly runnerMb: number;
	/** From closing the connection until a short recording of somebody else was heard. */
	readonly cancelMs: number;
	/** The same short recording without anybody before it. */
	readonly aloneMs: number;
}

/** @param clip 16 kHz mono of some seconds, repeated with pauses until the length is reached */
export async function hourReport(
	model: string,
	clip: Float32Array,
	seconds: number,
	together: boolean,
): Promise<HourReport> {
	const home = await mkdtemp(join(tmpdir(), 'nearglot-bench-'));
	await mkdir(join(home, 'models'));
	await symlink(model, join(home, 'models', basename(model)));
	const child = spawn(
		process.execPath,
		['--disable-warning=ExperimentalWarning', main, 'serve', '--json', '--port', '0'],
		{ env: { ...process.env, NEARGLOT_HOME: home }, stdio: ['ignore', 'pipe', 'inherit'] },
	);
	try {
		const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
		const { url, key } = JSON.parse(line) as { url: string; key: string };
		const long = join(home, 'long.wav');
		await writeLong(long, clip, seconds);
		const short = new Blob([wavFile(clip, { rateHz }) as Uint8Array<ArrayBuffer>]);
		const ask = (file: Blob, fields: Record<string, string>, signal?: AbortSignal) => {
			const form = new FormData();
			form.set('model', basename(model));
			for (const [name, value] of Object.entries(fields)) form.append(name, value);
			form.set('file', file, 'a.wav');
			const init = { method: 'POST', body: form, headers: { authorization: `Bearer ${key}` } };
			return fetch(`${url}/v1/audio/transcriptions`, signal ? { ...init, signal } : init);
		};
		await (await ask(short, {})).text();
		let began = performance.now();
		await (await ask(short, {})).text();
		const aloneMs = performance.now() - began;
		const pids = await processesOf(url, key, child.pid ?? 0);
		const before = await Promise.all(pids.map(residentMb));
		const most = [...before];
		const watch = setInterval(async () => {
			const now = await Promise.all(pids.map(residentMb));
			for (const [index, value] of now.entries()) most[index] = Math.max(most[index] ?? 0, value);
		}, 200);
		const fields = { condition_on_previous_text: String(!together) };
		began = performance.now();
		// Streamed, because clients give up on an answer that has not begun after some minutes.
		const answer = await ask(await openAsBlob(long), { ...fields, stream: 'true' });
		const text = await answer.text();
		if (!text.includes('transcript.text.done')) throw new Error(text.slice(-500));
		const tookS = (performance.now() - began) / 1000;
		clearInterval(watch);
		const stop = new AbortController();
		const stream = await ask(await openAsBlob(long), { ...fields, stream: 'true' }, stop.signal);
		for await (const { data } of readEvents(stream.body as AsyncIterable<Uint8Array>))
			if (data.includes('delta')) break;
		began = performance.now();
		stop.abort();
		await (await ask(short, {})).text();
		const grown = most.map((value, index) => value - (before[index] ?? 0));
		return {
			model: basename(model),
			...{ seconds, together, timesRealTime: seconds / tookS, aloneMs },
			daemonMb: grown[0] ?? 0,
			runnerMb: grown.slice(1).reduce((sum, value) => sum + value, 0),
			cancelMs: performance.now() - began,
		};
	} finally {
		child.kill();
		await once(child, 'exit');
		await rm(home, { recursive: true, force: true });
	}
}

async function writeLong(path: string, clip: Float32Array, seconds: number): Promise<void> {
	const padded = new Float32Array(clip.length + rateHz);
	padded.set(clip);
	const whole = wavFile(padded, { rateHz });
	const body = whole.subarray(44);
	const count = Math.ceil((seconds * rateHz) / padded.length);
	const header = Buffer.from(whole.subarray(0, 44));
	header.writeUInt32LE(36 + body.length * count, 4);
	header.writeUInt32LE(body.length * count, 40);
	const out = createWriteStream(path);
	out.write(header);
	for (let i = 0; i < count; i++) if (!out.write(body)) await once(out, 'drain');
	out.end();
	await once(out, 'finish');
}

/** The daemon first, then its runners. */
async function processesOf(url: string, key: string, daemon: number): Promise<number[]> {
	const headers = { authorization: `Bearer ${key}` };
	const answer = await (await fetch(`${url}/nearglot/runners`, { headers })).text();
	return [daemon, ...[...answer.matchAll(/"pid":(\d+)/g)].map((match) => Number(match[1]))];
}

/** Resident megabytes of a process (Linux). */
async function residentMb(pid: number): Promise<number> {
	const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
	return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024;
}
