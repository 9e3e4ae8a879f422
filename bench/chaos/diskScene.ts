/** A server whose disk is small: it fills while things are made, and is read-only at a start. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newHome } from '../../test/support/home.ts';
import { startHub } from '../../test/support/hubServer.ts';
import { until } from '../../test/support/until.ts';
import { type Random, randomFrom, type Scene } from './scene.ts';
import { brokenRules, pulled } from './serverRules.ts';
import { createKey, during, killDaemon, pull, type Stage } from './serverSteps.ts';

/** Whether this process may mount without anybody else seeing it. */
export const inNamespace = process.env['NEARGLOT_CHAOS_MOUNTS'] === '1';

const diskMiB = 24;

export async function diskScene(random: Random): Promise<Scene | string> {
	if (!inNamespace) return 'no mount namespace of its own (unshare --map-root-user --mount)';
	const disk = mkdtempSync(join(tmpdir(), 'nearglot-disk-'));
	const mounted = mount('-t', 'tmpfs', '-o', `size=${diskMiB}m`, 'none', disk);
	if (mounted !== undefined) return mounted;
	const systemTmp = join(disk, 'tmp');
	mkdirSync(systemTmp);
	const hub = await startHub(pulled);
	// Its data lies on the small disk.
	const home = await newHome({ TMPDIR: systemTmp, HF_ENDPOINT: hub.url }, undefined, disk);
	const stage: Stage = {
		...{ home, hub, random: randomFrom(random() * 2 ** 32), systemTmp },
		clock: join(disk, 'clock'),
		keys: new Set(),
	};
	const filler = join(disk, 'filler');
	/** Leaves some room, or none at all. */
	const fill = () => {
		const { bavail, bsize } = statfsSync(disk);
		const left = stage.random() < 0.5 ? 0 : Math.floor(stage.random() * 600_000);
		writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left)));
	};
	const whileFull = async (work: () => Promise<unknown>): Promise<void> => {
		fill();
		try {
			await work();
		} finally {
			rmSync(filler, { force: true });
		}
	};
	/** A command that may fail, with a word of its own and not the system's. */
	const asked = async (args: readonly string[]): Promise<void> => {
		const { code, stderr } = await home.run(args);
		if (code !== 0 && (!/\S{3}/.test(stderr) || /\bE[A-Z]{4,}:/.test(stderr)))
			throw new Error(`Poor words of ${args.join(' ')}: ${stderr}`);
	};
	return {
		name: 'disk',
		steps: [
			['it is full when keys are made', () => whileFull(() => createKey(stage))],
			[
				'it is full when a model is asked, and answers all the same',
				async () => {
					await home.run(['models', 'unload', '--all']);
					await whileFull(async () => {
						const { code, stderr } = await home.run(['chat', 'starter-chat', 'list files']);
						if (code !== 0) throw new Error(`A full disk ends inference: ${stderr}`);
					});
				},
			],
			[
				'it is full when the server starts',
				async () => {
					await killDaemon(stage);
					await whileFull(() => asked(['models', 'list']));
				},
			],
			[
				'it fills while a model is fetched',
				async () => {
					await home.run(['models', 'remove', 'tiny']);
					hub.faults = { bytesPerMs: 500 };
					await during(stage, pull, async () => fill());
					rmSync(filler, { force: true });
					hub.faults = {};
					await asked(pull);
				},
			],
			[
				'it is full when models are removed, pinned and moved',
				async () => {
					await asked(pull);
					await whileFull(async () => {
						await asked(['models', 'pin', 'tiny']);
						await asked(['models', 'move', join(disk, `models-${Math.floor(stage.random() * 3)}`)]);
						await asked(['models', 'remove', 'tiny']);
					});
				},
			],
			[
				'it is read-only when the server starts',
				async () => {
					await killDaemon(stage);
					// Its runners end after it, and the disk is busy until they have.
					let refusal: string | undefined;
					const isReadOnly = () => {
						refusal = mount('-o', 'remount,ro', disk);
						return refusal === undefined;
					};
					await until('the disk is read-only', isReadOnly, 30_000).catch((cause) => {
						throw new Error(refusal, { cause });
					});
					try {
						await asked(['models', 'list']);
						await asked(['keys', 'create', 'none']);
					} finally {
						mount('-o', 'remount,rw', disk);
					}
				},
			],
		],
		broken: () => brokenRules(stage),
		[Symbol.asyncDispose]: async () => {
			rmSync(filler, { force: true });
			await home.close();
			await hub[Symbol.asyncDispose]();
			spawnSync('umount', ['--lazy', disk]);
			rmSync(disk, { recursive: true, force: true });
		},
	};
}

/** Why it could not, or `undefined`. */
function mount(...args: string[]): string | undefined {
	const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' });
	return status === 0 ? undefined : `mount ${args.join(' ')}: ${stderr}`;
}
