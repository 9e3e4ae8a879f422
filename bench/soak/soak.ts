/**
 * Minutes of mixed load on a real daemon: streams, hung-up streams, translations, recordings, loads, unloads,
 * idle unloading and a runner killed now and then. Every whole answer must be the one given before
 * the load, every cut one its beginning; at the end nothing may wait, run, leak or be held.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtInModelsDir } from '../../server/daemon/machine.ts';
import { Client, type Outcome, Refusal } from './client.ts';
import { startDaemon } from './daemon.ts';
import { writeExactModel } from './exactModel.ts';
import { processFacts } from './held.ts';
import { speechActs } from './recordings.ts';
import { type Act, chatActs, type Remembered, translate, translationActs } from './traffic.ts';
import { leaks, occupied, type Reading, readGauges, readProcesses, stillHeld } from './watch.ts';

export interface SoakOptions {
	readonly minutes: number;
	/** Callers at once. */
	readonly callers: number;
	/** Longest pause of a caller between two requests. */
	readonly pauseMs: number;
	readonly killEveryS: number;
	readonly readEveryS: number;
	/** Only every n-th of the different requests is used. */
	readonly everyNth?: number;
	/** Ends it early, in good order. */
	readonly signal?: AbortSignal;
	readonly say: (line: string) => void;
}

export interface SoakResult {
	readonly counts: Readonly<Record<string, number>>;
	readonly readings: readonly Reading[];
	/** Longest block of the daemon's event loop, and the longest it computed in one go. */
	readonly daemonBlockMs: { readonly longest: number; readonly busy: number };
	/** Everything that must not be, each a sentence; empty when all is well. */
	readonly problems: readonly string[];
}

/** Stays loaded and is never killed, so that leaks of a runner show. */
const steady = 'soak-steady';
/** Is loaded, unloaded, left idle and killed. */
const victim = 'soak-chat';
const translator = 'starter-translate';
const listener = 'starter-speech';

export async function runSoak(options: SoakOptions): Promise<SoakResult> {
	const { say } = options;
	const folder = mkdtempSync(join(tmpdir(), 'nearglot-soak-model-'));
	const exact = join(folder, 'chat');
	writeExactModel(join(builtInModelsDir() ?? '', 'starter-chat'), exact);
	const daemon = await startDaemon({ models: { [steady]: exact, [victim]: exact } });
	const client = new Client(daemon.url, daemon.key);
	const counts: Record<string, number> = {};
	const problems: string[] = [];
	const readings: Reading[] = [];
	const remembered: Remembered[] = [];
	const count = (name: string): void => {
		counts[name] = (counts[name] ?? 0) + 1;
	};
	const problem = (text: string): void => {
		problems.push(text);
		say(`PROBLEM ${text}`);
	};
	try {
		const acts = [
			...chatActs(steady),
			...chatActs(victim),
			...translationActs(translator, (answer) => remembered.push(answer)),
			...speechActs(listener),
		].filter((_, index) => index % (options.everyNth ?? 1) === 0);
		const expected = new Map<Act, string>();
		for (const act of acts) expected.set(act, (await act.run(client)).text);
		const before = processFacts(daemon.pid);
		say(`${acts.length} answers taken one by one; the load begins.`);
		const started = performance.now();
		const startedAt = Date.now();
		const atS = (): number => (performance.now() - started) / 1000;
		const endS = options.minutes * 60;
		const goesOn = (): boolean => atS() < endS && options.signal?.aborted !== true;

		const check = (act: Act, outcome: Outcome): void => {
			const whole = expected.get(act) ?? '';
			if (outcome.complete ? outcome.text !== whole : !whole.startsWith(outcome.text)) {
				count('wrong');
				problem(`${act.name} said ${outcome.text.slice(0, 300)} and not ${whole.slice(0, 300)}`);
			} else count(outcome.complete ? 'right' : 'cut');
		};
		const perform = async (act: Act): Promise<void> => {
			const cuts = act.cut !== undefined && Math.random() < 0.25;
			try {
				const pieces = 1 + Math.floor(Math.random() * 12);
				check(
					act,
					cuts ? await (act.cut as NonNullable<Act['cut']>)(client, pieces) : await act.run(client),
				);
			} catch (error) {
				if (error instanceof Refusal && error.retryable) count('retryable errors');
				else problem(`${act.name}: ${String(error)}`);
			}
		};
		const caller = async (): Promise<void> => {
			while (goesOn()) {
				await perform(acts[Math.floor(Math.random() * acts.length)] as Act);
				await pause(Math.random() * options.pauseMs);
			}
		};
		/** Loads with a short idle time, unloads politely and by force, and lets the idle time pass. */
		const shuffler = async (): Promise<void> => {
			for (let turn = 0; goesOn(); turn++) {
				await pause(Math.min(7000, endS * 100) * Math.random());
				const path =
					turn % 3 === 0
						? `/openai/load/${victim}?ttl=2`
						: `/openai/unload/${victim}?force=${turn % 3 === 1}`;
				try {
					await client.get(path);
					count(turn % 3 === 0 ? 'loads' : 'unloads');
				} catch (error) {
					// Unloading what is in use is refused unless forced.
					if (error instanceof Refusal && (error.retryable || error.code === 'conflict'))
						count('refused unloads');
					else problem(`${path}: ${String(error)}`);
				}
			}
		};
		const killer = async (): Promise<void> => {
			for (let next = options.killEveryS; next < endS; next += options.killEveryS) {
				await pause(Math.max(0, (next - atS()) * 1000), options.signal);
				if (!goesOn()) return;
				const runners = (await readProcesses(client, daemon, atS())).filter(
					({ name }) => name !== 'daemon' && !name.includes(steady),
				);
				const chosen = runners[Math.floor(Math.random() * runners.length)];
				if (chosen === undefined) continue;
				process.kill(chosen.pid, 'SIGKILL');
				count('kills');
			}
		};
		const reader = async (): Promise<void> => {
			for (let next = options.readEveryS; next < endS; next += options.readEveryS) {
				await pause(Math.max(0, (next - atS()) * 1000), options.signal);
				if (!goesOn()) return;
				const now = await readProcesses(client, daemon, atS());
				readings.push(...now);
				const text = now.map(
					({ name, residentBytes, handles, deleted, temporary }) =>
						`${name} ${(residentBytes / 1e6).toFixed(0)} MB, ${handles} handles, ${deleted} deleted, ${temporary} temporary`,
				);
				say(`${(atS() / 60).toFixed(1)} min: ${text.join(' · ')} · ${JSON.stringify(counts)}`);
			}
		};
		const work = [
			...Array.from({ length: options.callers }, caller),
			shuffler(),
			killer(),
			reader(),
		];
		let late: NodeJS.Timeout | undefined;
		const tooLate = new Promise<void>((resolve) => {
			late = setTimeout(
				() => {
					problem('A request is still unanswered a minute after the end.');
					resolve();
				},
				endS * 1000 + 60_000,
			);
		});
		await Promise.race([Promise.all(work), tooLate]);
		clearTimeout(late);

		await pause(1500);
		for (const text of occupied(await readGauges(client))) problem(text);
		for (const act of acts) check(act, await act.run(client));
		for (const text of leaks(readings)) problem(text);
		for (const text of await stillHeld(client, daemon, before)) problem(text);
		if ((counts['right'] ?? 0) < acts.length) problem('Hardly anything was answered.');
		const blocks = daemon.blocks('serve', startedAt);
		const daemonBlockMs = {
			longest: Math.max(0, ...blocks.map(({ longestMs }) => longestMs)),
			busy: Math.max(0, ...blocks.map(({ busyMs }) => busyMs)),
		};
		counts['texts translated'] = remembered.reduce((sum, { texts }) => sum + texts.length, 0);
		await daemon.stop().then((code) => {
			if (code !== 0) problem(`The daemon ended with ${code}.`);
		});
		await replay(remembered, problem);
		return { counts, readings, daemonBlockMs, problems };
	} finally {
		await daemon.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Asks an idle daemon for every translation again, one by one. */
async function replay(
	remembered: readonly Remembered[],
	problem: (text: string) => void,
): Promise<void> {
	const idle = await startDaemon();
	try {
		const client = new Client(idle.url, idle.key);
		for (const { texts, answer } of remembered) {
			const again = await translate(client, texts);
			if (again !== answer) problem(`'${texts.join(' ')}' became ${answer}, alone ${again}`);
		}
	} finally {
		await idle.stop();
	}
}

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
	await sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}
