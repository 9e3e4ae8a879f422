/** Folders that hold what people said and wrote, and the daemon's socket, are the user's alone. */

import assert from 'node:assert/strict';
import {
	chmod,
	lstat,
	mkdir,
	readdir,
	readFile,
	rm,
	symlink,
	utimes,
	writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { closeDataFolder, ownDataFolder } from '../../server/daemon/dataFolder.ts';
import type { Machine } from '../../server/daemon/paths.ts';
import { socketPath } from '../../server/daemon/socketPath.ts';
import { silentLogger } from '../../server/services/logger.ts';
import { makePrivateDir } from '../../server/store/files.ts';
import {
	fillScratchFolder,
	makeRunnerFolder,
	makeScratchFolder,
	removeDeadScratch,
} from '../../server/store/scratch.ts';
import { newHome } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const skip = process.platform === 'win32' && 'Windows has other rights';

const tmp = temporaryFolder('private');

const uid = process.getuid?.() ?? 0;
const machine = (env: NodeJS.ProcessEnv = {}): Machine => ({
	platform: 'linux',
	env,
	home: join(tmp, 'home'),
	tmp,
	uid,
});
const modeOf = async (path: string) => (await lstat(path)).mode & 0o7777;

async function folder(name: string, mode: number, ...files: string[]): Promise<string> {
	const path = join(tmp, name);
	await mkdir(path, { recursive: true });
	for (const file of files) await writeFile(join(path, file), '');
	await chmod(path, mode);
	return path;
}

/** Closes a folder and says what the log was told. */
async function closed(path: string): Promise<number> {
	let warnings = 0;
	await closeDataFolder(machine(), path, { ...silentLogger, warn: () => void warnings++ });
	return warnings;
}

test('a data folder with the rights of a umask is closed', { skip }, async () => {
	const beside = [
		'keys.db-wal',
		'models.json.0123456789ab.tmp',
		'translator-keys.json.made',
		'daemon.log.1',
	];
	for (const mode of [0o755, 0o775]) {
		const path = await folder(`umask-${mode}`, mode, 'endpoint.json', ...beside);
		assert.equal(await closed(path), 0);
		assert.equal(await modeOf(path), 0o700);
	}
	const empty = await folder('empty', 0o755);
	await closed(empty);
	assert.equal(await modeOf(empty), 0o700);
});

/** Closes a folder as on Windows, whose access lists are a double; answers what `icacls` was asked and the log told. */
async function closedOnWindows(path: string, home: string, keepsLists = true) {
	const asked: (readonly string[])[] = [];
	const told: string[] = [];
	await closeDataFolder(
		{ platform: 'win32', env: {}, home, tmp },
		path,
		{ ...silentLogger, warn: (message) => void told.push(message) },
		{
			home,
			user: 'PC\\ann',
			run: async (args) => {
				asked.push(args);
				if (!keepsLists) throw new Error('The request is not supported.');
			},
		},
	);
	return { asked, told };
}

test('on Windows a folder of its own outside of the home is left to the user by access lists', async () => {
	const home = join(tmp, 'Users', 'ann');
	const own = await folder('windows own', 0o755, 'endpoint.json', 'daemon.log.1');
	const { asked, told } = await closedOnWindows(own, home);
	assert.deepEqual(told, []);
	assert.deepEqual(
		asked.map(([path, ...rest]) => [path, rest.includes('PC\\ann:(OI)(CI)F')]),
		[[own, true]],
	);
	const below = await folder('Users/ann/data', 0o755, 'endpoint.json');
	assert.deepEqual(await closedOnWindows(below, home), { asked: [], told: [] });
	const fat = await closedOnWindows(own, home, false);
	assert.match(fat.told.join(), /its drive keeps no access lists/);
});

test('on Windows a folder with files of others, a link and the home itself stay as they are', async () => {
	const home = await folder('windows home', 0o755, 'endpoint.json');
	const foreign = await folder('windows foreign', 0o755, 'endpoint.json', 'payroll.xlsx');
	const link = join(tmp, 'windows link');
	await symlink(await folder('windows target', 0o755), link, 'junction');
	for (const path of [home, foreign, link]) {
		const { asked, told } = await closedOnWindows(path, home);
		assert.deepEqual(asked, [], path);
		assert.match(told.join(), /choose one of its own by NEARGLOT_HOME/, path);
	}
	const mixed = await folder('windows home/mixed', 0o755, 'payroll.xlsx');
	assert.deepEqual(await closedOnWindows(mixed, home), { asked: [], told: [] });
});

test('a command that writes without the daemon closes the folder as well', { skip }, async () => {
	const folder = join(tmp, 'made before');
	await mkdir(folder);
	await chmod(folder, 0o755);
	assert.equal(await ownDataFolder(machine({ NEARGLOT_HOME: folder })), folder);
	assert.equal((await lstat(folder)).mode & 0o777, 0o700);
	const home = await newHome();
	try {
		await chmod(home.folder, 0o755);
		assert.equal((await home.run(['keys', 'create', 'q'])).code, 0);
		assert.equal((await lstat(home.folder)).mode & 0o777, 0o700);
	} finally {
		await home.close();
	}
});

test('a data folder that is a link to nothing is told by both names', { skip }, async () => {
	const link = join(tmp, 'link');
	await symlink(join(tmp, 'nowhere'), link);
	for (const path of [link, join(link, 'below')])
		await assert.rejects(makePrivateDir(path), {
			code: 'store_unavailable',
			message: `${link} is a link to ${join(tmp, 'nowhere')}, which is not there. Make that folder, or remove the link.`,
		});
});

test('what a person has chosen stays, and the log says so', { skip }, async () => {
	const shared = await folder('group', 0o750, 'endpoint.json');
	const foreign = await folder('foreign', 0o755, 'thesis.tex');
	const mixed = await folder('mixed', 0o755, 'models.json', 'endpoint.json', 'payroll.xlsx');
	const home = await folder('home', 0o755, 'endpoint.json');
	const target = await folder('target', 0o755, 'endpoint.json');
	const link = join(tmp, 'link-of-a-person');
	await symlink(target, link);
	for (const [path, mode] of [
		[shared, 0o750],
		[foreign, 0o755],
		[mixed, 0o755],
		[home, 0o755],
	] as const) {
		assert.equal(await closed(path), 1, path);
		assert.equal(await modeOf(path), mode, path);
	}
	await closed(link);
	assert.equal(await modeOf(target), 0o755);
	const own = await folder('own', 0o700, 'thesis.tex');
	assert.equal(await closed(own), 0);
});

test('temporary folders of ended processes go at the next start, and nothing else does', {
	skip,
}, async () => {
	const mine = await makeScratchFolder('upload', join(tmp, 'scratch'));
	const name = mine.slice(dirname(mine).length + 1);
	assert.equal(await modeOf(mine), 0o700);
	await rm(mine, { recursive: true });
	const space = /\.(\d+)-/.exec(name)?.[1];
	assert.ok(name.startsWith(`nearglot-upload-${process.pid}.${space}-`), name);
	const place = await folder('sweep', 0o755);
	const secret = await folder('sweep-target', 0o700, 'precious');
	const make = async (entry: string, ageMs = 0) => {
		await mkdir(join(place, entry));
		await writeFile(join(place, entry, 'recording'), 'speech');
		const then = (Date.now() - ageMs) / 1000;
		await utimes(join(place, entry), then, then);
	};
	const day = 25 * 3600_000;
	await make(`nearglot-upload-77.${space}-AAAAAA`);
	await make(`nearglot-live-77.${space}-AAAAAA`);
	await make(`nearglot-stdin-88.${space}-AAAAAA`);
	await make(`nearglot-runner-77.${space}-AAAAAA`);
	await make('nearglot-upload-77.1-AAAAAA');
	await make('nearglot-upload-77.1-BBBBBB', day);
	await make('nearglot-upload-cCcCcC');
	await make('nearglot-upload-dDdDdD', day);
	await make('nearglot-upload-77', day);
	await make(`other-upload-77.${space}-AAAAAA`, day);
	await symlink(secret, join(place, `nearglot-upload-77.${space}-LINKED`));
	await writeFile(join(place, `nearglot-upload-77.${space}-PLAINF`), '');
	const sweep = (own: number | undefined) =>
		removeDeadScratch({ tmp: place, uid: own, isAlive: (pid) => pid === 88, now: Date.now });
	assert.deepEqual(await sweep(uid + 1), [], 'of another user nothing is touched');
	const removed = await sweep(uid);
	assert.deepEqual(removed.map((path) => path.slice(place.length + 1)).sort(), [
		`nearglot-live-77.${space}-AAAAAA`,
		`nearglot-runner-77.${space}-AAAAAA`,
		'nearglot-upload-77.1-BBBBBB',
		`nearglot-upload-77.${space}-AAAAAA`,
		'nearglot-upload-dDdDdD',
	]);
	assert.equal((await readdir(place)).length, 7);
	assert.deepEqual(await readdir(secret), ['precious']);
});

test('of a temporary folder whose content cannot be made nothing stays', async () => {
	const root = join(tmp, 'filled');
	const full = new Error('full');
	const fill = async (folder: string) => {
		await writeFile(join(folder, 'begun'), '');
		throw full;
	};
	await assert.rejects(fillScratchFolder('live', root, fill), full);
	assert.deepEqual(await readdir(root), []);
});

test("a runner's folder lies below the data folder, or in the system's where that would bind it to nothing", {
	skip,
}, async () => {
	const data = join(tmp, 'data');
	const elsewhere = await folder('elsewhere', 0o700);
	const own = makeRunnerFolder(data, elsewhere);
	assert.equal(dirname(own), join(data, 'tmp'));
	assert.deepEqual([await modeOf(own), await modeOf(dirname(own))], [0o700, 0o700]);
	// Node takes what is before the star for a folder, and whatever begins like it.
	assert.equal(dirname(makeRunnerFolder(join(tmp, 'da*ta'), elsewhere)), elsewhere);
	await writeFile(join(tmp, 'taken'), '');
	assert.equal(dirname(makeRunnerFolder(join(tmp, 'taken'), elsewhere)), elsewhere);
	assert.throws(() => makeRunnerFolder(join(tmp, 'taken'), join(tmp, 'none')), { code: 'ENOENT' });
});

test('a socket whose path would be too long lies where only this user can be', {
	skip,
}, async () => {
	const deep = join(tmp, 'd'.repeat(60), 'e'.repeat(60));
	await mkdir(deep, { recursive: true });
	const first = await socketPath(machine(), deep);
	assert.equal(await modeOf(dirname(first)), 0o700);
	assert.ok(Buffer.byteLength(first) <= 103, first);
	assert.equal(await socketPath(machine(), deep), first, 'it stays where clients knew it');
	assert.equal((await readFile(join(deep, 'socket-folder'), 'utf8')).trim(), dirname(first));
	// A folder that others may enter, or that is a link, is not used again.
	await chmod(dirname(first), 0o777);
	const second = await socketPath(machine(), deep);
	assert.notEqual(dirname(second), dirname(first));
	await rm(dirname(second), { recursive: true });
	await symlink(dirname(first), dirname(second));
	assert.notEqual(dirname(await socketPath(machine(), deep)), dirname(second));
	// macOS takes 103 bytes, and its temp folders are deep themselves.
	const deepTemp = { ...machine(), tmp: join(tmp, 't'.repeat(70)) };
	await mkdir(deepTemp.tmp);
	const short = await socketPath(
		deepTemp,
		await folder(join('d'.repeat(60), 'f'.repeat(60)), 0o700),
	);
	assert.ok(Buffer.byteLength(short) <= 100, short);
	await rm(dirname(short), { recursive: true });
	const runtime = await folder('run', 0o700);
	const there = await socketPath(machine({ XDG_RUNTIME_DIR: runtime }), deep);
	assert.equal(dirname(there), runtime);
	await chmod(runtime, 0o755);
	const elsewhere = await socketPath(machine({ XDG_RUNTIME_DIR: runtime }), deep);
	assert.notEqual(dirname(elsewhere), runtime);
});
