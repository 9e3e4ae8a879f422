/** A server started from the files of a package, what is asked of its built-in models, and how fast they answer. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { EngineStats } from '../../server/engine/stats.ts';
import type { ModelInfo } from '../../server/protocol/index.ts';
import { firstLine } from '../support/home.ts';
import {
	broughtAlong,
	childrenOf,
	executableOf,
	librariesOf,
	outside,
} from '../support/processFacts.ts';

const recording = join(import.meta.dirname, '../fixtures/speech/rms.flac');

/** What runs the packages: the Node of the tests, or the one that NEARGLOT_PACKED_NODE names. */
export const packedNode = process.env['NEARGLOT_PACKED_NODE'] ?? process.execPath;

const questions = [
	'what can you do?',
	'what is nearglot?',
	'how do I translate a document?',
	'extract a tar.gz file',
];

/** How fast one round was. */
export interface Figures {
	/** Tokens a second while an answer is written. */
	readonly tokensPerSecond: number;
	/** Milliseconds for 40 short sentences that were not asked before, in one request. */
	readonly sentencesMs: number;
	/** Milliseconds for a recording of three seconds. */
	readonly recordingMs: number;
}

export class PackedServer implements AsyncDisposable {
	readonly child: ChildProcess;
	readonly #url: string;
	readonly #key: string;
	#asked = 0;

	private constructor(child: ChildProcess, url: string, key: string) {
		this.child = child;
		this.#url = url;
		this.#key = key;
	}

	/**
	 * @param entry the server's bundle
	 * @param home its data folder
	 * @param program what runs it, with arguments before the bundle
	 * @param more options of `serve`
	 */
	static async start(
		entry: string,
		home: string,
		[program, ...first]: readonly [string, ...string[]] = [packedNode],
		env: NodeJS.ProcessEnv = process.env,
		more: readonly string[] = [],
	): Promise<PackedServer> {
		const child = spawn(program, [...first, entry, 'serve', '--json', '--port', '0', ...more], {
			env: { ...env, NEARGLOT_HOME: home },
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const { url, key } = await firstLine(child);
		return new PackedServer(child, String(url), String(key));
	}

	/** Asks every built-in model; none may be left out, and the engine may remark nothing. */
	async mustRunAsItShould(): Promise<void> {
		const { choices } = await this.#chat('extract a tar.gz file');
		assert.match(choices[0]?.message.content ?? '', /tar xf archive\.tar\.gz/);
		const translated = await this.#translate(['The file was saved.']);
		assert.deepEqual(translated, ['Die Datei wurde gespeichert.']);
		assert.match(await this.#transcribe(), /report/);
		const { models, stats } = (await this.send('/nearglot/models/list')) as {
			models: ModelInfo[];
			stats: { model: string; stats: EngineStats }[];
		};
		const builtIn = models.filter(({ origin }) => origin === 'built-in');
		assert.ok(builtIn.length >= 3);
		for (const { id, state, notices } of builtIn) {
			assert.equal(state, 'loaded', `${id} was not asked`);
			assert.deepEqual(notices ?? [], [], id);
		}
		for (const { model, stats: found } of stats) assert.equal(found.runtime, 'c-api', model);
		assert.ok(stats.length >= builtIn.length);
	}

	/**
	 * What runs models is the package's own: none of the system's libraries, and none of another installation.
	 * @param folder where the package lies; answers the names of what was loaded of it
	 */
	mustLoadOnlyFrom(folder: string): Set<string> {
		const pid = this.child.pid ?? 0;
		const own = realpathSync.native(packedNode).toLowerCase();
		assert.equal(realpathSync.native(executableOf(pid)).toLowerCase(), own);
		const loaded = broughtAlong(childrenOf(pid).flatMap((child) => librariesOf(child))).map(
			(path) => realpathSync.native(path),
		);
		assert.deepEqual(outside(loaded, realpathSync.native(folder)), []);
		return new Set(loaded.map((path) => basename(path).toLowerCase()));
	}

	async #chat(content: string) {
		return (await this.send('/v1/chat/completions', {
			model: 'starter-chat',
			messages: [{ role: 'user', content }],
			temperature: 0,
		})) as {
			choices: { message: { content: string } }[];
			timings: { predicted_n: number; predicted_ms: number };
		};
	}

	async #translate(texts: readonly string[]): Promise<string[]> {
		const body = texts.map((Text) => ({ Text }));
		const path = '/translate?api-version=3.0&from=en&to=de';
		const rows = (await this.send(path, body)) as { translations: { text: string }[] }[];
		return rows.map(({ translations }) => translations[0]?.text ?? '');
	}

	async #transcribe(): Promise<string> {
		const body = new FormData();
		body.append('model', 'starter-speech');
		body.append('file', new Blob([readFileSync(recording)]), 'rms.flac');
		return ((await this.send('/v1/audio/transcriptions', body)) as { text: string }).text;
	}

	/** Asks every model and measures the answers. */
	async measure(): Promise<Figures> {
		let [tokens, writingMs] = [0, 0];
		for (const question of [...questions, ...questions, ...questions]) {
			const { timings } = await this.#chat(question);
			tokens += timings.predicted_n;
			writingMs += timings.predicted_ms;
		}
		this.#asked++;
		const number = 100 * this.#asked;
		const sentences = Array.from(
			{ length: 40 },
			(_, k) => `Please open window ${number + k} again.`,
		);
		return {
			tokensPerSecond: (1000 * tokens) / writingMs,
			sentencesMs: await milliseconds(() => this.#translate(sentences)),
			recordingMs: await milliseconds(() => this.#transcribe()),
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.child.exitCode !== null) return;
		const ended = once(this.child, 'close');
		// Signals end a program of Windows at once.
		await this.send('/nearglot/shutdown', {});
		await ended;
	}

	/** Asks a route; with a body by POST. Rejects unless the answer is 200. */
	async send(path: string, body?: FormData | object, signal?: AbortSignal): Promise<unknown> {
		const form = body instanceof FormData;
		const response = await fetch(`${this.#url}${path}`, {
			...(signal === undefined ? {} : { signal }),
			headers: {
				authorization: `Bearer ${this.#key}`,
				...(form ? {} : { 'content-type': 'application/json' }),
			},
			...(body === undefined ? {} : { method: 'POST', body: form ? body : JSON.stringify(body) }),
		});
		const text = await response.text();
		assert.equal(response.status, 200, text);
		return JSON.parse(text);
	}
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
	const started = performance.now();
	await work();
	return performance.now() - started;
}

/** One line with the median of the rounds. */
export function figuresLine(name: string, rounds: readonly Figures[]): string {
	const median = (pick: (figures: Figures) => number) => {
		const sorted = rounds.map(pick).sort((a, b) => a - b);
		return Math.round(sorted[sorted.length >> 1] ?? Number.NaN).toLocaleString('en');
	};
	const chat = median(({ tokensPerSecond }) => tokensPerSecond);
	const sentences = median(({ sentencesMs }) => sentencesMs);
	const heard = median(({ recordingMs }) => recordingMs);
	return `measured ${name}: chat ${chat} tokens/s, 40 sentences ${sentences} ms, 3 s of speech ${heard} ms`;
}
