/**
 * Speed of the translate interface as a client sees it: a daemon in a process of its own, over HTTP.
 * Every sentence is asked once, so that nothing comes from the cache unless that is what is measured.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../server/main.ts', import.meta.url));

export interface SpeedOptions {
	/** English sentences, all different; at least 2,400. */
	readonly sentences: readonly string[];
	readonly from: string;
	readonly to: string;
	/** Short sentences whose latency is measured one after the other. */
	readonly requests: number;
}

export interface SpeedRow {
	readonly what: string;
	readonly words: number;
	readonly wordsPerSecond: number;
	/** Milliseconds of a request, where many were measured. */
	readonly p50Ms?: number;
	readonly p95Ms?: number;
}

/** Characters of one request, as the command line sends files. */
const maxCharacters = 40_000;

const countWords = (texts: readonly string[]): number =>
	texts.reduce((sum, text) => sum + text.split(/\s+/).filter(Boolean).length, 0);

const quantile = (values: readonly number[], share: number): number =>
	[...values].sort((a, b) => a - b)[
		Math.min(values.length - 1, Math.floor(values.length * share))
	] ?? Number.NaN;

/** Measures one sentence, 32 sentences, a file of 2,000 lines, and the answer from the cache. */
export async function translateSpeed(
	options: SpeedOptions,
	onRow: (row: SpeedRow) => void,
): Promise<SpeedRow[]> {
	const home = await mkdtemp(join(tmpdir(), 'nearglot-bench-'));
	const child = spawn(
		process.execPath,
		['--disable-warning=ExperimentalWarning', main, 'serve', '--json', '--port', '0'],
		{ env: { ...process.env, NEARGLOT_HOME: home }, stdio: ['ignore', 'pipe', 'inherit'] },
	);
	const gone = once(child, 'exit');
	try {
		const [line] = (await Promise.race([
			once(createInterface({ input: child.stdout }), 'line'),
			gone.then(() => Promise.reject(new Error('The daemon ended before it was ready.'))),
		])) as [string];
		const { url, key } = JSON.parse(line) as { url: string; key: string };
		const query = new URLSearchParams({ 'api-version': '3.0', from: options.from, to: options.to });
		const ask = async (texts: readonly string[]): Promise<number> => {
			const began = performance.now();
			const response = await fetch(`${url}/translate?${query}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json', 'Ocp-Apim-Subscription-Key': key },
				body: JSON.stringify(texts.map((Text) => ({ Text }))),
			});
			const rows = (await response.json()) as { translations?: { text: string }[] }[];
			if (!response.ok || !rows.every(({ translations }) => translations?.[0]?.text !== undefined))
				throw new Error(
					`The daemon answered ${response.status}: ${JSON.stringify(rows).slice(0, 300)}`,
				);
			return performance.now() - began;
		};
		return await measure(options, ask, onRow);
	} finally {
		child.kill();
		await gone;
		await rm(home, { recursive: true, force: true });
	}
}

async function measure(
	{ sentences, requests }: SpeedOptions,
	ask: (texts: readonly string[]) => Promise<number>,
	onRow: (row: SpeedRow) => void,
): Promise<SpeedRow[]> {
	const rows: SpeedRow[] = [];
	let next = 0;
	const take = (count: number): string[] => {
		const taken = sentences.slice(next, next + count);
		next += count;
		if (taken.length < count) throw new Error(`${sentences.length} sentences are too few.`);
		return taken;
	};
	const add = (what: string, texts: readonly string[], times: readonly number[]): void => {
		const words = countWords(texts);
		const total = times.reduce((sum, time) => sum + time, 0);
		const row: SpeedRow = {
			what,
			words,
			wordsPerSecond: words / (total / 1000),
			...(times.length < 5 ? {} : { p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95) }),
		};
		rows.push(row);
		onRow(row);
	};
	// The model is loaded and warm before anything counts.
	for (const text of take(8)) await ask([text]);

	const short = take(requests);
	const times: number[] = [];
	for (const text of short) times.push(await ask([text]));
	add('1 sentence a request', short, times);

	const again: number[] = [];
	for (const text of short) again.push(await ask([text]));
	add('the same from the cache', short, again);

	const groups = Array.from({ length: 8 }, () => take(32));
	const grouped: number[] = [];
	for (const group of groups) grouped.push(await ask(group));
	add('32 sentences a request', groups.flat(), grouped);

	const lines = take(2000);
	let elapsed = 0;
	for (const part of parts(lines)) elapsed += await ask([part]);
	add('a file of 2,000 lines', lines, [elapsed]);
	return rows;
}

/** Whole lines in texts of at most {@link maxCharacters}. */
function parts(lines: readonly string[]): string[] {
	const made: string[] = [];
	let part = '';
	for (const line of lines) {
		if (part !== '' && part.length + line.length + 1 > maxCharacters) {
			made.push(part);
			part = '';
		}
		part += `${line}\n`;
	}
	return [...made, part];
}
