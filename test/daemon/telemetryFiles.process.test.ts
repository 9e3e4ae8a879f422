/** What the telemetry of ONNX Runtime left behind is removed; nothing else is. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeEach, test } from 'node:test';
import { thisMachine } from '../../server/daemon/machine.ts';
import type { Machine } from '../../server/daemon/paths.ts';
import { removeTelemetryFiles } from '../../server/daemon/telemetryFiles.ts';
import { newHome } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const skip = process.platform === 'win32' ? 'the library leaves no files on Windows' : false;
const session = '1795373973339\n4788c5d0-8095-e181-6182-62dd57340cff\n';
const library = 'Microsoft/DeveloperTools/.onnxruntime';
const dead = 7;

let folder: string;
beforeEach(() => {
	folder = temporaryFolder('leftovers');
});

function put(files: Readonly<Record<string, string>>): void {
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
}

/** Everything below the folder that is no folder, and every empty folder. */
function left(): string[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
		.filter(({ entry, path }) => !entry.isDirectory() || readdirSync(path).length === 0)
		.map(({ path }) => relative(folder, path))
		.sort();
}

const machine = (more: Partial<Machine> = {}): Machine => ({
	...thisMachine({ TMPDIR: join(folder, 'tmp'), NEARGLOT_HOME: join(folder, 'data') }),
	platform: 'linux',
	home: folder,
	...more,
});
const sweep = (more: Partial<Machine> = {}): Promise<string[]> =>
	removeTelemetryFiles(machine(more), (pid) => pid !== dead);

test('device id, events, session and logs of processes that have ended go', { skip }, async () => {
	put({
		[`.cache/${library}/deviceid`]: 'id',
		[`.cache/${library}/deviceid.tmp.a9d4fa99-ea62-4164-aa66-ad40f8f77678`]: 'id',
		[`.cache/${library}/onnxruntime.db`]: 'events',
		[`.cache/${library}/onnxruntime.db-wal`]: 'events',
		'tmp/.ses': session,
		'tmp/mat-debug-7.log': '',
		'data/:memory:.ses': session,
	});
	assert.equal((await sweep()).length, 7);
	assert.deepEqual(left(), ['.cache', 'data', 'tmp']);
	assert.deepEqual(await sweep(), [], 'a second time there is nothing to do');
});

test('the folder of caches is the one the library takes', { skip }, async () => {
	const mac = `Library/Application Support/${library}/deviceid`;
	put({ [`xdg/${library}/deviceid`]: 'id', [mac]: 'id', [`.cache/${library}/deviceid`]: 'id' });
	const env = { TMPDIR: join(folder, 'tmp'), XDG_CACHE_HOME: join(folder, 'xdg') };
	await sweep({ env });
	assert.deepEqual(left(), [`.cache/${library}/deviceid`, mac, 'xdg']);
	await sweep({ env: { ...env, XDG_CACHE_HOME: 'relative' } });
	assert.deepEqual(left(), ['.cache', mac, 'xdg']);
	await sweep({ platform: 'darwin' });
	assert.deepEqual(left(), ['.cache', 'Library/Application Support', 'xdg']);
});

test('what others put there stays, and so do the folders it lies in', { skip }, async () => {
	const others = {
		'.cache/Microsoft/DeveloperTools/deviceid': "another program's",
		[`.cache/${library}/notes.txt`]: 'a person',
		'tmp/.ses': 'not a session',
		'tmp/mat-debug-8.log': 'of a living process',
		'tmp/mat-debug-x.log': 'not a process id',
		'tmp/deeper/mat-debug-7.log': 'not in the temp folder itself',
	};
	put({ ...others, [`.cache/${library}/deviceid`]: 'id' });
	assert.deepEqual(await sweep(), [join(folder, '.cache', library, 'deviceid')]);
	assert.deepEqual(left(), Object.keys(others).sort());
});

test('no link is followed, no folder is taken for a file, no file of another user goes', {
	skip,
}, async () => {
	put({ 'elsewhere/DeveloperTools/.onnxruntime/deviceid': 'id', 'elsewhere/ses': session });
	mkdirSync(join(folder, '.cache'));
	mkdirSync(join(folder, 'tmp', 'mat-debug-7.log'), { recursive: true });
	symlinkSync(join(folder, 'elsewhere'), join(folder, '.cache', 'Microsoft'));
	symlinkSync(join(folder, 'elsewhere', 'ses'), join(folder, 'tmp', '.ses'));
	const before = left();
	assert.deepEqual(await sweep(), []);
	assert.deepEqual(left(), before);
	put({ 'own/mat-debug-7.log': '', [`.cache2/${library}/deviceid`]: 'id' });
	const env = { TMPDIR: join(folder, 'own'), XDG_CACHE_HOME: join(folder, '.cache2') };
	assert.deepEqual(await sweep({ env, uid: (process.getuid?.() ?? 0) + 1 }), []);
	assert.equal((await sweep({ env })).length, 2);
});

test('a daemon that starts removes them', { skip }, async () => {
	put({ [`.cache/${library}/deviceid`]: 'id', 'tmp/.ses': session });
	const env = { HOME: folder, TMPDIR: join(folder, 'tmp'), XDG_CACHE_HOME: '' };
	const home = await newHome(env);
	try {
		home.start(['serve', '--json']);
		await until('they are gone', () => !existsSync(join(folder, 'tmp', '.ses')));
		await until('the device id too', () => !existsSync(join(folder, '.cache', 'Microsoft')));
	} finally {
		await home.close();
	}
});
