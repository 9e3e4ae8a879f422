/** What goes wrong, one step each. To add one: a row in the table. */

import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findDaemon } from '../../server/daemon/findDaemon.ts';
import { gone, type Home } from '../../test/support/home.ts';
import type { HubFaults, TestHub } from '../../test/support/hubServer.ts';
import { pause, pick, type Random } from './scene.ts';

export interface Stage {
	readonly home: Home;
	readonly hub: TestHub;
	readonly random: Random;
	/** File that says how far the clock is off. */
	readonly clock: string;
	/** The system's temp folder, as the processes see it. */
	readonly systemTmp: string;
	/** Ids of keys that a command has handed out. */
	readonly keys: Set<string>;
	/** A key whose limits are far above what is asked of it. */
	limited?: string;
}

type Step = (stage: Stage) => Promise<void>;

/** Process id of the server, if there is one. */
export const daemonOf = async ({ home }: Stage): Promise<number | undefined> =>
	(await findDaemon(home.env))?.endpoint.pid;

export const pull = ['models', 'pull', 'acme/tiny'];
const chat = ['chat', 'starter-chat', 'how do I list files?'];

export async function createKey({ home, keys }: Stage): Promise<void> {
	const { code, stdout } = await home.run(['keys', 'create', 'chaos', '--json']);
	if (code === 0) keys.add((JSON.parse(stdout) as { id: string }).id);
}

/** Runs a command, and signals a process at some moment of it. */
export async function during(
	stage: Stage,
	args: readonly string[],
	act: () => Promise<void>,
): Promise<void> {
	const child = stage.home.start(args);
	child.stdin?.end();
	for (const stream of [child.stdout, child.stderr]) stream?.resume();
	const ended = once(child, 'close');
	await pause(stage.random() * 1000);
	await act();
	await ended;
}

export async function killDaemon(stage: Stage): Promise<void> {
	const pid = await daemonOf(stage);
	if (pid === undefined) return;
	process.kill(pid, 'SIGKILL');
	await gone(pid);
}

async function signalRunners(stage: Stage, signal: NodeJS.Signals): Promise<void> {
	const pid = await daemonOf(stage);
	if (pid === undefined) return;
	for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' '))
		if (child !== '') process.kill(Number(child), signal);
}

const faultyDisk = pathToFileURL(
	fileURLToPath(new URL('../../test/store/faultyDisk.ts', import.meta.url)),
).href;

const hubFaults: readonly HubFaults[] = [
	{ hashes: false },
	{ ranges: false },
	{ etag: () => undefined },
	{ etag: () => `"${Math.random()}"` },
	{ onList: (_request, response) => response.writeHead(503).end() !== undefined },
	{ onList: (_request, response) => response.end('[') !== undefined },
	{ onFile: (_request, response) => response.destroy() !== undefined },
	{ onFile: (_request, response) => response.writeHead(416).end() !== undefined },
	{ onFile: (_request, response) => response.end('damaged') !== undefined },
];

export const steps: readonly [name: string, step: Step][] = [
	[
		'the server is killed while it answers',
		(stage) => during(stage, chat, () => killDaemon(stage)),
	],
	[
		'a runner is killed while it answers',
		(stage) => during(stage, chat, () => signalRunners(stage, 'SIGKILL')),
	],
	[
		'a runner stands still for a moment',
		(stage) =>
			during(stage, chat, async () => {
				await signalRunners(stage, 'SIGSTOP');
				await signalRunners(stage, 'SIGCONT');
			}),
	],
	[
		'the server is killed while it downloads',
		async (stage) => {
			await stage.home.run(['models', 'remove', 'tiny']);
			stage.hub.faults = { bytesPerMs: 200 };
			await during(stage, pull, () => killDaemon(stage));
		},
	],
	[
		'the hub fails',
		async (stage) => {
			await stage.home.run(['models', 'remove', 'tiny']);
			stage.hub.faults = pick(stage.random, hubFaults);
			await stage.home.run(pull);
		},
	],
	[
		'the endpoint file is lost',
		async (stage) => {
			const path = join(stage.home.folder, 'endpoint.json');
			if (stage.random() < 0.5) rmSync(path, { force: true });
			else writeFileSync(path, '{"pid":');
		},
	],
	[
		'what was chosen about models is damaged',
		async (stage) => writeFileSync(join(stage.home.folder, 'models.json'), '{"registered": ['),
	],
	[
		'many make keys at once',
		async (stage) => void (await Promise.all([1, 2, 3, 4].map(() => createKey(stage)))),
	],
	[
		'a lock is left behind',
		async (stage) => {
			const owner = pick(stage.random, [
				'',
				'{"pid":1,"host":"elsewhere","token":"a"}',
				'{"pid":999999}',
			]);
			writeFileSync(join(stage.home.folder, 'translator-keys.json.lock'), owner);
			await createKey(stage);
		},
	],
	[
		'the clock is set',
		async (stage) => {
			const day = 24 * 3600_000;
			const offsets = [0, 3600_000, -3600_000, day, -day, 400 * day, -400 * day];
			writeFileSync(stage.clock, String(pick(stage.random, offsets)));
			await createKey(stage);
		},
	],
	[
		'a disk fails once in a change',
		async (stage) => {
			const fault = pick(stage.random, ['EIO', 'ENOSPC', 'before', 'half', 'after']);
			const env = {
				NODE_OPTIONS: `${stage.home.env['NODE_OPTIONS']} --import=${faultyDisk}`,
				NEARGLOT_FAULT: `${fault} ${1 + Math.floor(stage.random() * 24)}`,
			};
			const { code, stdout, stderr } = await stage.home.run(
				['keys', 'create', 'faulty', '--json'],
				'',
				env,
			);
			if (code === 0) stage.keys.add((JSON.parse(stdout) as { id: string }).id);
			else if (code === 1 && !/^nearglot keys: .*\//s.test(stderr))
				throw new Error(`The word names no file: ${stderr}`);
		},
	],
	[
		'the server stands still while it is asked',
		(stage) =>
			during(stage, chat, async () => {
				const pid = await daemonOf(stage);
				if (pid === undefined) return;
				process.kill(pid, 'SIGSTOP');
				await pause(stage.random() * 3000);
				process.kill(pid, 'SIGCONT');
			}),
	],
	[
		'who makes a key is killed',
		async (stage) => {
			const child = stage.home.start(['keys', 'create', 'cut']);
			const ended = once(child, 'close');
			setTimeout(() => child.kill('SIGKILL'), stage.random() * 600);
			await ended;
		},
	],
];
