/**
 * The second wall around a model: what the process that runs it is given. No secret of the environment,
 * an empty folder of its own to be in and to write to, and, where Node is the program, no right to start
 * programs or to write elsewhere. Node's permissions bind what is written in JavaScript, not native code.
 */

import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import type { LoadOptions } from '../engine/api.ts';
import { confine } from '../engine/runtime/confine.ts';
import { telemetryOff } from '../engine/runtime/telemetry.ts';
import { unwritable } from '../store/files.ts';
import { isRunnerFolder, makeRunnerFolder, scratchIn } from '../store/scratch.ts';
import { runnerEntry, selfCommand } from './machine.ts';
import type { RunnerCommand } from './runnerProcess.ts';

/**
 * Variables that a runner may have: where the system and the drivers of devices look for their parts,
 * languages and times, and settings of this program that are no secret. `ORT_*` changes what ONNX Runtime
 * does, `NODE_OPTIONS` and `LD_PRELOAD` what the process runs, so they are not among them.
 */
const allowedVariables = [
	/^(PATH|HOME|USER|LANG|LANGUAGE|LC_[A-Z]+|TZ)$/,
	/^(LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|XDG_CACHE_HOME|XDG_RUNTIME_DIR)$/,
	/^(SYSTEMROOT|SYSTEMDRIVE|WINDIR|USERPROFILE|LOCALAPPDATA|APPDATA|PROGRAMDATA|PROGRAMFILES(\(X86\))?)$/,
	/^(NUMBER_OF_PROCESSORS|PROCESSOR_[A-Z0-9]+|OS)$/,
	/^(CUDA|NVIDIA|HIP|ROCR|HSA|GPU|VK|MESA)_(VISIBLE_DEVICES|DEVICE_ORDER|PATH|HOME|CACHE_PATH|ICD_FILENAMES|DRIVER_FILES|DRIVER_CAPABILITIES|OVERRIDE_GFX_VERSION)$/,
	/^(UV_THREADPOOL_SIZE|MALLOC_[A-Z_]+|ELECTRON_RUN_AS_NODE|NEARGLOT_PLAIN_RUNTIME|NEARGLOT_KERNEL)$/,
];

/** What of an environment a runner gets; names are compared without regard to case, as Windows does. */
export function runnerEnvironment(env: NodeJS.ProcessEnv, scratch: string): NodeJS.ProcessEnv {
	const kept = Object.entries(env).filter(([name]) =>
		allowedVariables.some((allowed) => allowed.test(name.toUpperCase())),
	);
	return {
		...Object.fromEntries(kept),
		...telemetryOff,
		TMPDIR: scratch,
		TEMP: scratch,
		TMP: scratch,
	};
}

function runnerFolder(dataDir: string, tmp: string): string {
	try {
		return makeRunnerFolder(dataDir, tmp);
	} catch (error) {
		throw unwritable(scratchIn(dataDir), error);
	}
}

/**
 * Flags of Node that leave a process the rights a runner needs.
 * @param scratch the folder it may write to
 * @param execArgv flags of Node that this process has
 */
function permissionFlags(scratch: string, execArgv = process.execArgv): string[] {
	// The editor's own program is not started with flags it may not know.
	if (process.versions['electron'] !== undefined) return [];
	// Permissions refuse an inspector. Whoever runs the server under one wants to look into its runners, too.
	if (execArgv.some((flag) => /^--inspect(-brk)?(=|$)/.test(flag))) return [];
	return [
		'--permission',
		'--allow-addons',
		'--allow-worker',
		'--allow-fs-read=*',
		`--allow-fs-write=${scratch}`,
		'--disable-warning=SecurityWarning',
	];
}

/**
 * The command of a runner of this same product, with a new folder of its own, which whoever starts it
 * removes, or the next daemon where both were killed.
 * @throws AppError `disk_full` or `store_unavailable` when no folder can be made; `daemon_unavailable` when the program
 * was replaced or has gone
 */
export function runnerCommandLine(
	env: NodeJS.ProcessEnv,
	dataDir: string,
	tmp: string,
	entry = runnerEntry(),
): RunnerCommand {
	const { file, args, env: own } = selfCommand([], env, entry);
	const scratch = runnerFolder(dataDir, tmp);
	return {
		file,
		args: [...permissionFlags(scratch), ...args],
		env: runnerEnvironment(own, scratch),
		scratch,
	};
}

/**
 * The command of a process that builds a model.
 * @param folder to be in and to write to, every link resolved
 */
export function builderCommandLine(env: NodeJS.ProcessEnv, folder: string): RunnerCommand {
	const { file, args, env: own } = selfCommand(['builder'], env);
	return {
		file,
		// The rights of a process cannot be bound to a path with `*`; those that Linux takes away can.
		args: [
			'--max-old-space-size=3072',
			...(folder.includes('*') ? [] : permissionFlags(folder)),
			...args,
		],
		env: runnerEnvironment(own, folder),
	};
}

/**
 * In a runner, before it loads: takes the rights away that Linux can take, from native code too. Drivers
 * of devices keep files wherever they like, so this is for the processor only.
 */
export function confineRunner({ executionProvider = 'cpu' }: LoadOptions): void {
	const isOwn = isRunnerFolder(basename(process.cwd()));
	if (executionProvider === 'cpu' && isOwn) confine([process.cwd()]);
}

/** In a runner whose daemon has gone: removes the folder it is in, when that is its own. */
export function removeOwnScratch(): void {
	const folder = process.cwd();
	if (!isRunnerFolder(basename(folder))) return;
	try {
		rmSync(folder, { recursive: true, force: true });
	} catch {
		// Windows keeps the folder of a process.
	}
}

/** libuv's pool must not be the limit of parallel native calls. */
export function runnerThreads(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const threads = env['UV_THREADPOOL_SIZE'] ?? String(Math.max(8, availableParallelism() * 2));
	return { ...env, UV_THREADPOOL_SIZE: threads };
}
