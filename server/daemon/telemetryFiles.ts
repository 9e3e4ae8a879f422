/**
 * Removes what the telemetry of ONNX Runtime left behind while earlier versions let it run: a device id
 * and unsent events in the user's caches, a session file and one empty log per model load in the temp
 * folder. The library's builds for Windows keep no such files.
 */

import { constants } from 'node:fs';
import { lstat, readdir, readFile, rmdir, unlink } from 'node:fs/promises';
import { posix } from 'node:path';
import { isAlive as processIsAlive } from '../store/processIdentity.ts';
import { dataDir, type Machine } from './paths.ts';

const { isAbsolute, join } = posix;

/** What the library makes in its folder; the folder goes only when nothing else is in it. */
const storeNames = /^(deviceid(\.lock|\.tmp\.[\w-]+)?|onnxruntime\.db(-journal|-wal|-shm|\.ses)?)$/;
const logName = /^mat-debug-(\d+)\.log$/;
/** Time of the first start in milliseconds, and a random id. */
const sessionText = /^\d+\n[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\s*$/i;
const longestSessionBytes = 100;

/**
 * Removes the files of this user that no living process owns, and follows no symbolic link. What
 * cannot be removed stays; other files beside them stay.
 * @param isAlive whether a process with that id exists
 * @returns paths of the removed files
 */
export async function removeTelemetryFiles(
	machine: Machine,
	isAlive: (pid: number) => boolean = processIsAlive,
): Promise<string[]> {
	if (machine.platform === 'win32') return [];
	const removed: string[] = [];
	const remove = async (path: string): Promise<void> => {
		if (!(await isOwn(machine, path, 'file'))) return;
		await unlink(path);
		removed.push(path);
	};
	// The library looks at no other variable.
	const tmp = machine.env['TMPDIR'] || '/tmp';
	await quietly(async () => {
		for (const name of await readdir(tmp)) {
			const pid = logName.exec(name)?.[1];
			if (pid !== undefined && !isAlive(Number(pid))) await quietly(() => remove(join(tmp, name)));
		}
	});
	// The second is its name in a process that had no home, in whose working directory it then lay.
	for (const path of [join(tmp, '.ses'), join(dataDir(machine), ':memory:.ses')])
		await quietly(async () => {
			if (await isSession(path)) await remove(path);
		});
	await quietly(() => removeStore(machine, remove));
	return removed;
}

/** The folder with the device id, and those above it that are empty without it. */
async function removeStore(
	machine: Machine,
	remove: (path: string) => Promise<void>,
): Promise<void> {
	const microsoft = join(cacheFolder(machine), 'Microsoft');
	const tools = join(microsoft, 'DeveloperTools');
	const store = join(tools, '.onnxruntime');
	for (const folder of [microsoft, tools, store])
		if (!(await isOwn(machine, folder, 'folder'))) return;
	for (const name of await readdir(store))
		if (storeNames.test(name)) await remove(join(store, name));
	for (const folder of [store, tools, microsoft]) await rmdir(folder);
}

function cacheFolder({ platform, env, home }: Machine): string {
	if (platform === 'darwin') return join(home, 'Library', 'Application Support');
	const xdg = env['XDG_CACHE_HOME'];
	return xdg && isAbsolute(xdg) ? xdg : join(home, '.cache');
}

async function isOwn(machine: Machine, path: string, kind: 'file' | 'folder'): Promise<boolean> {
	const found = await lstat(path);
	return found.uid === machine.uid && (kind === 'file' ? found.isFile() : found.isDirectory());
}

async function isSession(path: string): Promise<boolean> {
	const { size } = await lstat(path);
	if (size > longestSessionBytes) return false;
	return sessionText.test(
		await readFile(path, {
			encoding: 'utf8',
			flag: constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
		}),
	);
}

/** A file that is not there, not ours to remove or not empty is no failure of the daemon. */
async function quietly(work: () => Promise<void>): Promise<void> {
	try {
		await work();
	} catch {
		// It stays.
	}
}
