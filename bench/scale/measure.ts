/** Real replicas behind HAProxy with the configuration that is shipped, on this machine; what they did becomes a file. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { mean, quantile, randomOf } from './events.ts';
import type { PolicyName } from './policies.ts';
import type { ClosedRun, MachineTimes, RunResult, Singles } from './simulate.ts';

/** The figures that are kept, from which `docs/scale.md` is made. */
export interface Measured {
	/** Day of Greenwich. */
	readonly day: string;
	readonly machine: string;
	readonly model: string;
	readonly times: MachineTimes;
	readonly runs: readonly { readonly run: ClosedRun; readonly measured: RunResult }[];
}

const model = 'starter-chat';
const root = new URL('../..', import.meta.url).pathname;
const answer = 8;
const turns = 4;
const conversations = 7;
/** Each run is made so often, in turn with the others: the load of a machine that is shared changes. */
const rounds = 4;
const clients = 2;

interface Server {
	readonly url: string;
	readonly port: number;
	readonly opsPort: number;
	readonly key: string;
	readonly child: ChildProcess;
	readonly home: string;
}

interface Outcome {
	readonly latencyS: number;
	readonly prompt: number;
	readonly cached: number;
	readonly promptS: number;
	readonly answerS: number;
	readonly answer: number;
}

const system = 'You are the assistant of a small workshop. Answer in short plain sentences.';

/** A question that no other conversation has. All turns have to fit into the context of a small model. */
function question(random: () => number): string {
	const words = 'bolt panel drawing supplier invoice order customer delivery spring motor'.split(
		' ',
	);
	return Array.from({ length: 24 }, () => words[Math.floor(random() * words.length)]).join(' ');
}

async function freePort(): Promise<number> {
	const probe = createServer();
	await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
	const { port } = probe.address() as { readonly port: number };
	await new Promise((resolve) => probe.close(resolve));
	return port;
}

async function until(work: () => Promise<boolean>): Promise<void> {
	for (const endMs = performance.now() + 180_000; performance.now() < endMs; ) {
		if (await work().catch(() => false)) return;
		await new Promise((resolve) => setTimeout(resolve, 200));
	}
	throw new Error('A server has not become ready within three minutes.');
}

async function startServer(): Promise<Server> {
	const home = mkdtempSync(join(tmpdir(), 'nearglot-scale-'));
	const [port, opsPort] = [await freePort(), await freePort()];
	const key = 'a-key-of-the-benchmark-of-scale';
	const options = ['--port', String(port), '--ops-port', String(opsPort), '--threads', '1'];
	const child = spawn(
		process.execPath,
		[join(root, 'dist/server.cjs'), 'serve', ...options, '--preload', model],
		{ env: { ...process.env, NEARGLOT_HOME: home, NEARGLOT_KEY: key }, stdio: 'ignore' },
	);
	await until(async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok);
	return { url: `http://127.0.0.1:${port}`, port, opsPort, key, child, home };
}

async function ask(
	url: string,
	key: string,
	prompt: string,
	conversation: string,
): Promise<Outcome & { readonly text: string }> {
	const begun = performance.now();
	const response = await fetch(`${url}/v1/completions`, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			authorization: `Bearer ${key}`,
			'x-conversation': conversation,
		},
		body: JSON.stringify({ model, prompt, max_tokens: answer, temperature: 0 }),
	});
	if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
	const body = (await response.json()) as {
		readonly choices: readonly [{ readonly text: string }];
		readonly usage: {
			readonly prompt_tokens: number;
			readonly completion_tokens: number;
			readonly prompt_tokens_details?: { readonly cached_tokens?: number };
		};
		readonly timings: { readonly prompt_ms: number; readonly predicted_ms: number };
	};
	const { usage, timings } = body;
	return {
		latencyS: (performance.now() - begun) / 1000,
		prompt: usage.prompt_tokens,
		cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
		promptS: timings.prompt_ms / 1000,
		answerS: timings.predicted_ms / 1000,
		answer: usage.completion_tokens,
		text: body.choices[0].text,
	};
}

/** Clients that each ask the next question of a conversation that nobody is asking in. */
async function closedRun(
	url: string,
	key: string,
	tag: string,
	seed: number,
): Promise<readonly (Outcome & { readonly turn: number })[]> {
	const random = randomOf(seed);
	const all = Array.from({ length: conversations }, (_, at) => ({
		name: `${tag} ${at}`,
		said: system,
		turn: 0,
		isFree: true,
	}));
	const outcomes: (Outcome & { readonly turn: number })[] = [];
	const client = async () => {
		for (;;) {
			const free = all.filter(({ isFree, turn }) => isFree && turn < turns);
			const one = free[Math.floor(random() * free.length)];
			if (one === undefined) return;
			one.isFree = false;
			one.said += ` ${question(random)}?`;
			const { text, ...outcome } = await ask(url, key, one.said, one.name);
			one.said += text;
			outcomes.push({ ...outcome, turn: one.turn });
			one.turn++;
			one.isFree = true;
		}
	};
	await Promise.all(Array.from({ length: clients }, client));
	return outcomes;
}

/** The shipped configuration, with so many servers and that policy. */
function configOf(replicas: number, policy: PolicyName): string {
	let text = readFileSync(join(root, 'deploy/haproxy.cfg'), 'utf8');
	if (policy === 'round robin')
		text = text
			.replaceAll('balance hash var(txn.key)', 'balance roundrobin')
			.replaceAll(/^ {2}(?:hash-|use_backend crowded).*\n/gm, '');
	if (replicas < 3) return text;
	return text.replaceAll(/^ {2}server two .*$/gm, (line) => {
		const third = line.replaceAll('two', 'three').replaceAll('TWO', 'THREE');
		return `${line}\n${third}`;
	});
}

async function behindBalancer<T>(
	servers: readonly Server[],
	policy: PolicyName,
	work: (url: string) => Promise<T>,
): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), 'nearglot-balancer-'));
	const file = join(folder, 'haproxy.cfg');
	writeFileSync(file, configOf(servers.length, policy));
	const port = await freePort();
	const env: NodeJS.ProcessEnv = { ...process.env, NEARGLOT_BIND: `127.0.0.1:${port}` };
	for (const [at, name] of ['ONE', 'TWO', 'THREE'].entries()) {
		const server = servers[at];
		if (server === undefined) continue;
		env[`NEARGLOT_${name}`] = `127.0.0.1:${server.port}`;
		env[`NEARGLOT_${name}_OPS`] = String(server.opsPort);
	}
	const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: 'ignore' });
	try {
		const url = `http://127.0.0.1:${port}`;
		const seen = new Set<string | null>();
		let probes = 0;
		await until(async () => {
			const headers = { 'x-conversation': `probe ${probes++}` };
			seen.add((await fetch(`${url}/health`, { headers })).headers.get('x-served-by'));
			return seen.size === servers.length;
		});
		return await work(url);
	} finally {
		child.kill('SIGKILL');
		rmSync(folder, { recursive: true, force: true });
	}
}

/** What single requests take, one at a time, at one replica: alternately new and from the cache. */
async function singles({ url, key }: Server, seed: number, count: number): Promise<Outcome[]> {
	const random = randomOf(seed);
	const outcomes: Outcome[] = [];
	for (let at = 0; at < count; at++) {
		let said = system;
		for (let turn = 0; turn < turns; turn++) {
			said += ` ${question(random)}?`;
			const { text, ...outcome } = await ask(url, key, said, 'single');
			said += text;
			outcomes.push(outcome);
		}
		// The same length, with nothing in the cache but the beginning.
		const questions = Array.from({ length: turns }, () => `${question(random)}?`);
		const { text: _, ...whole } = await ask(url, key, [system, ...questions].join(' '), 'single');
		outcomes.push(whole);
	}
	return outcomes;
}

/** So many different replicas at once, or answers of one replica: the mean latency of equal requests. */
async function atOnce(servers: readonly Server[], seed: number, rounds: number): Promise<number> {
	const random = randomOf(seed);
	const latencies: number[] = [];
	for (let round = 0; round < rounds; round++) {
		const asked = servers.map(({ url, key }) =>
			ask(url, key, `${system} ${question(random)}?`, 'at once'),
		);
		for (const { latencyS } of await Promise.all(asked)) latencies.push(latencyS);
	}
	return mean(latencies);
}

/** How many tokens the cache has room for, by its own metrics. */
async function cacheTokensOf({ url, key }: Server): Promise<number> {
	const authorization = `Bearer ${key}`;
	const text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text();
	const value = (name: string) =>
		Number(new RegExp(`^nearglot_model_${name}\\{[^}]*\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
	// Caches grow in blocks of 128 tokens: a short prompt alone takes one.
	const perToken = value('kv_bytes') / Math.max(1, value('cached_prefixes')) / 256;
	return Math.max(1000, Math.round(value('kv_limit_bytes') / Math.max(1, perToken)));
}

/** Least squares of `y = a + b·x`. */
function line(points: readonly (readonly [x: number, y: number])[]): readonly [number, number] {
	const [mx, my] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
	const over = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
	const under = points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
	const slope = under === 0 ? 0 : over / under;
	return [my - slope * mx, slope];
}

/** Seconds for a step of answers that are written side by side at one replica. */
async function stepOf(server: Server, beside: number, seed: number): Promise<number> {
	const random = randomOf(seed);
	const steps: number[] = [];
	for (let round = 0; round < 1; round++) {
		const asked = Array.from({ length: beside }, () =>
			ask(server.url, server.key, question(random), 'steps'),
		);
		for (const { answerS, answer: count } of await Promise.all(asked))
			steps.push(answerS / Math.max(1, count));
	}
	return quantile(steps, 0.5);
}

/** Measures all of it; takes some minutes. */
export async function measure(log: (line: string) => void): Promise<Measured> {
	const servers: Server[] = [];
	try {
		for (let count = 0; count < 3; count++) servers.push(await startServer());
		const [first] = servers as [Server, Server, Server];
		log('three replicas are ready');
		for (const [at, server] of servers.entries()) await singles(server, 900 + at, 1);
		const outcomes: Outcome[] = [];
		const together: number[] = [];
		let tries = 50;
		const collect = async (beside: Outcome[]) => {
			beside.push(...(await singles(first, tries++, 1)));
			for (const count of [1, 2, 3]) {
				const latencyS = await atOnce(servers.slice(0, count), tries++, 2);
				together[count - 1] = (together[count - 1] ?? 0) + latencyS;
			}
		};
		const steps: (readonly [number, number])[] = [];
		const kinds = [2, 3].flatMap((replicas) =>
			(['bounded hash', 'round robin'] as const).map((policy) => ({
				...{ replicas, policy },
				/** Single requests right before and after. */
				beside: [] as Outcome[],
				outcomes: [] as (Outcome & { readonly turn: number })[],
			})),
		);
		for (let round = 0; round < rounds; round++) {
			for (const { replicas, policy, beside, outcomes: done } of kinds) {
				const tag = `${policy} ${replicas} ${round}`;
				await collect(beside);
				const some = await behindBalancer(servers.slice(0, replicas), policy, (url) =>
					closedRun(url, first.key, tag, 1000 + tries),
				);
				done.push(...some);
				await collect(beside);
			}
			for (const beside of [1, 2, 4, 8])
				steps.push([beside, await stepOf(first, beside, 9000 + 10 * round + beside)]);
			log(`round ${round + 1} of ${rounds}`);
		}
		outcomes.push(...kinds.flatMap(({ beside }) => beside));
		const measured = kinds.map(({ replicas, policy, beside, outcomes: done }) => {
			const prompts = Array.from({ length: turns }, (_, turn) =>
				Math.round(mean(done.filter((each) => each.turn === turn).map(({ prompt }) => prompt))),
			);
			const written = Math.round(mean(done.map(({ answer: count }) => count)));
			const run = { replicas, policy, clients, conversations, prompts, answer: written };
			return { run, beside, outcomes: done };
		});
		const cacheTokens = await cacheTokensOf(first);
		const [fixedS, prefillS] = line(
			outcomes.map(({ prompt, cached, latencyS, answerS }) => [
				prompt - cached,
				latencyS - answerS,
			]),
		);
		const [, stepEachS] = line(steps);
		const oneStep = quantile(
			outcomes.map(({ answerS, answer: count }) => answerS / Math.max(1, count)),
			0.5,
		);
		const expected = ({ prompt, cached, answer: count }: Outcome) =>
			Math.max(0.001, fixedS + (prompt - cached) * prefillS + count * oneStep);
		const round = (value: number) => Number(value.toPrecision(4));
		const singlesOf = (found: readonly Outcome[]): Singles =>
			found
				.map((each) => [round(expected(each)), round(each.latencyS / expected(each))] as const)
				.sort(([left], [right]) => left - right);
		const sharedTokens = quantile(
			outcomes.filter(({ prompt, cached }) => prompt - cached > 20).map(({ cached }) => cached),
			0.2,
		);
		const one = together[0] ?? 1;
		return {
			day: new Date().toISOString().slice(0, 10),
			machine: `${cpus().length} processor cores, ${cpus()[0]?.model.trim() ?? 'unknown'}; one thread for each replica`,
			model,
			times: {
				fixedS: round(Math.max(0, fixedS)),
				prefillS: round(Math.max(1e-6, prefillS)),
				stepS: round(Math.max(1e-6, oneStep - Math.max(0, stepEachS))),
				stepEachS: round(Math.max(0, stepEachS)),
				cacheTokens,
				together: together.map((each) => round(Math.max(1, each / one))),
				singles: singlesOf(outcomes),
			},
			runs: measured.map(({ run, beside, outcomes: done }) => {
				const latencies = done.map(({ latencyS }) => latencyS);
				const cached = done.reduce((sum, each) => sum + each.cached, 0);
				return {
					run: { ...run, shared: sharedTokens, singles: singlesOf(beside) },
					measured: {
						cacheShare: round(cached / done.reduce((sum, each) => sum + each.prompt, 0)),
						p50S: round(quantile(latencies, 0.5)),
						p95S: round(quantile(latencies, 0.95)),
					},
				};
			}),
		};
	} finally {
		for (const { child, home } of servers) {
			const ended = new Promise((resolve) => child.once('exit', resolve));
			child.kill('SIGTERM');
			await ended;
			rmSync(home, { recursive: true, force: true });
		}
	}
}
