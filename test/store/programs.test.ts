/** Programs of others are started by their whole path, never as the current folder has them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programPath } from '../../server/store/programs.ts';
import { sources } from '../architecture/sources.ts';

/** A machine that has these programs. */
const machine = (platform: NodeJS.Platform, ...programs: string[]) => ({
	platform,
	isProgram: (path: string) => programs.includes(path),
});

test("what is the system's is taken from its own folder, whatever PATH holds", () => {
	const windows = machine('win32', 'C:\\evil\\icacls.exe', 'C:\\evil\\nvidia-smi.exe');
	const env = { Path: 'C:\\evil', SystemRoot: 'D:\\Win' };
	assert.equal(programPath('icacls', env, windows), 'D:\\Win\\System32\\icacls.exe');
	assert.equal(programPath('icacls', {}, windows), 'C:\\Windows\\System32\\icacls.exe');
	assert.equal(programPath('nvidia-smi', env, windows), 'D:\\Win\\System32\\nvidia-smi.exe');
	const mac = machine('darwin', '/evil/system_profiler');
	assert.equal(programPath('system_profiler', { PATH: '/evil' }, mac), '/usr/sbin/system_profiler');
});

test('others are the first in PATH, without the parts of it that depend on the current folder', () => {
	const windows = machine(
		'win32',
		...['ffmpeg.exe', '.\\ffmpeg.exe', 'bin\\ffmpeg.exe', '\\bin\\ffmpeg.exe', 'C:ffmpeg.exe'],
		...['C:\\a\\ffmpeg.bat', 'C:\\b c\\ffmpeg.exe', '\\\\host\\share\\ffmpeg.exe'],
	);
	const path = ';.;bin;\\bin;C:;C:\\a;"C:\\b c";\\\\host\\share';
	assert.equal(programPath('ffmpeg', { Path: path }, windows), 'C:\\b c\\ffmpeg.exe');
	const shared = { PATH: '\\\\host\\share' };
	assert.equal(programPath('ffmpeg', shared, windows), '\\\\host\\share\\ffmpeg.exe');
	const linux = machine('linux', 'ffmpeg', 'bin/ffmpeg', '/usr/bin/ffmpeg', '/opt/ffmpeg');
	assert.equal(
		programPath('ffmpeg', { PATH: ':.:bin:/none:/usr/bin:/opt' }, linux),
		'/usr/bin/ffmpeg',
	);
	assert.equal(programPath('ffmpeg', { PATH: ':.:bin' }, linux), undefined);
	assert.equal(programPath('ffmpeg', {}, linux), undefined);
});

/** Who starts processes, and what. */
const starters = new Map([
	['extension/languageServerProcess.ts', 'this program'],
	['server/audio/ffmpegAudio.ts', 'ffmpeg by programPath'],
	['server/audio/systemMicrophone.ts', 'recorders by programPath'],
	['server/daemon/builderProcess.ts', 'this program'],
	['server/daemon/findDaemon.ts', 'this program'],
	['server/daemon/processEnd.ts', 'nothing: it waits for what others have started'],
	['server/daemon/runnerProcess.ts', 'this program'],
	['server/engine/devices/system.ts', 'programs of the system by programPath'],
	['server/net/usableMemory.ts', '/usr/bin/vm_stat'],
	['server/store/windowsFolders.ts', 'icacls by programPath'],
]);

test('no program is started by a bare name, and whoever starts one is known', () => {
	const found = ['server', 'extension']
		.flatMap((folder) => sources(folder))
		.filter(({ text }) => text.includes("child_process'"));
	assert.deepEqual(
		found
			.map(({ path }) => path)
			.filter((path) => !path.endsWith('.d.ts'))
			.sort(),
		[...starters.keys()].sort(),
	);
	let seen = 0;
	for (const { path, text } of found) {
		const bare = /\b(?:spawn|spawnSync|execFile|execFileSync|run|runFile)\(\s*['"`](?!\/)/.exec(
			text,
		);
		assert.equal(bare?.[0], undefined, path);
		assert.doesNotMatch(text, /(?<![.\w])exec(?:Sync)?\(|shell: true/, path);
		// Windows opens a console for each program that has one of its own; the editor's has none.
		const started = text.match(
			/(?<![.\w] ?)(?:spawn|execFile|runFile|run)\(\s*(?:program|file|command|'\/)/g,
		);
		seen += started?.length ?? 0;
		const hidden = text.match(/windowsHide: true/g);
		assert.ok((hidden?.length ?? 0) >= (started?.length ?? 0), `${path}: ${started?.join()}`);
	}
	assert.ok(seen > 5, String(seen));
});
