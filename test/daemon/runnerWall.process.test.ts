/** The second wall: what the process around a model has, and what whoever takes it over does not reach. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findDaemon } from '../../server/daemon/findDaemon.ts';
import { builtInModelsDir } from '../../server/daemon/machine.ts';
import {
	builderCommandLine,
	runnerCommandLine,
	runnerEnvironment,
} from '../../server/daemon/runnerWall.ts';
import { VerdictFile } from '../../server/daemon/verdictFile.ts';
import { type Home, newHome } from '../support/home.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';

const folder = realpathSync(temporaryFolder('wall'));
let home: Home | undefined;
after(async () => {
	await home?.close();
	rmSync(folder, { recursive: true, force: true });
});

/** What must not reach a runner: secrets, and whatever changes which code runs in it. */
const forbidden = {
	NEARGLOT_KEY: 'the-key-of-the-owner',
	NEARGLOT_HUB_TOKEN: 'hub-token',
	HF_TOKEN: 'hub-token',
	GITHUB_TOKEN: 'token',
	AWS_SECRET_ACCESS_KEY: 'secret',
	HTTPS_PROXY: 'http://user:password@proxy',
	SSH_AUTH_SOCK: '/run/agent',
	ORT_LOAD_CONFIG_FROM_MODEL: '1',
	ORT_TELEMETRY: '1',
	NODE_PENDING_DEPRECATION: '1',
};

test('a process that builds a model gets no secret, and one folder to write to', () => {
	const { env, args } = builderCommandLine({ ...forbidden, PATH: '/bin' }, '/models/.downloads/x');
	for (const name of Object.keys(forbidden)) assert.equal(env[name], undefined, name);
	assert.equal(env['PATH'], '/bin');
	assert.deepEqual(
		args.filter((flag) => flag.startsWith('--allow-fs-write')),
		['--allow-fs-write=/models/.downloads/x'],
	);
	assert.ok(args.includes('--permission'));
	assert.ok(!builderCommandLine({}, '/models*/x').args.some((flag) => flag.includes('*/x')));
});

test('a runner gets listed variables only, its own temp folder, and the telemetry off', () => {
	const kept = { PATH: '/bin', LC_ALL: 'C', CUDA_VISIBLE_DEVICES: '0', SystemRoot: 'C:\\Windows' };
	const dropped = {
		...forbidden,
		NODE_OPTIONS: '--require /evil.js',
		LD_PRELOAD: '/evil.so',
		DYLD_INSERT_LIBRARIES: '/evil.dylib',
		LD_AUDIT: '/evil.so',
		ELECTRON_EXTRA_LAUNCH_ARGS: '--inspect',
	};
	const given = { ORT_DISABLE_TELEMETRY: '0', TMPDIR: '/tmp', Temp: 'C:\\Temp' };
	assert.deepEqual(runnerEnvironment({ ...kept, ...dropped, ...given }, '/own'), {
		...kept,
		ORT_DISABLE_TELEMETRY: '1',
		TMPDIR: '/own',
		TEMP: '/own',
		TMP: '/own',
	});
});

test('code that has taken over a runner finds no key, starts no program and writes nowhere else', () => {
	const [own, model, other] = ['home', 'model', 'other'].map((name) => join(folder, name));
	assert.ok(own && model && other);
	for (const path of [own, model, other]) mkdirSync(path);
	writeFileSync(join(own, 'kept'), '');
	const { file, args, env, scratch } = runnerCommandLine(
		{ ...process.env, ...forbidden },
		join(folder, 'data'),
		tmpdir(),
	);
	assert.ok(scratch);
	assert.equal(basename(args.at(-1) ?? ''), 'runner.ts');
	const hostile = fileURLToPath(new URL('hostileRunner.ts', import.meta.url));
	const ran = spawnSync(file, [...args.slice(0, -1), hostile, own, model, other], {
		env,
		cwd: scratch,
		encoding: 'utf8',
	});
	rmSync(scratch, { recursive: true });
	assert.equal(ran.status, 0, ran.stderr);
	const { environment, ...results } = JSON.parse(ran.stdout);
	for (const name of Object.keys(forbidden)) assert.ok(!(name in environment), name);
	const refused = 'ERR_ACCESS_DENIED';
	assert.deepEqual(results, {
		folder: scratch,
		emptyFolder: true,
		home: refused,
		remove: refused,
		otherModel: refused,
		aboveScratch: refused,
		command: refused,
		worker: refused,
		scratch: 'done',
		ownModel: refused,
	});
	assert.deepEqual(readdirSync(own), ['kept']);
	assert.deepEqual(readdirSync(other), []);
	assert.deepEqual(readdirSync(model), []);
});

/** Processes that a process has started, by Linux's own table. */
function children(parent: number): number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.filter((name) => {
			try {
				return readFileSync(`/proc/${name}/status`, 'utf8').includes(`\nPPid:\t${parent}\n`);
			} catch {
				return false;
			}
		})
		.map(Number);
}

/** Whether this kernel takes rights away; asked in a process of its own, which then has none. */
function canConfine(): boolean {
	const url = new URL('../../server/engine/runtime/confine.ts', import.meta.url);
	const code = `import { confine } from ${JSON.stringify(url.href)}; process.exit(confine([]) ? 0 : 1);`;
	return spawnSync(process.execPath, ['--input-type=module', '--eval', code]).status === 0;
}

test('the runner of a real daemon is behind this wall, runs its model, and leaves nothing', {
	skip: process.platform === 'linux' ? false : 'the table of processes is that of Linux',
}, async () => {
	const models = join(folder, 'models');
	cpSync(join(builtInModelsDir() ?? '', 'starter-chat'), join(models, 'wall-chat'), {
		recursive: true,
	});
	const published = readdirSync(join(models, 'wall-chat', 'onnx'));
	home = await newHome({ ...forbidden, NEARGLOT_MODELS: models });
	const answered = await home.run(['chat', 'wall-chat', 'How do I list the files of a folder?']);
	assert.equal(answered.code, 0, answered.stderr);
	const daemon = (await findDaemon(home.env))?.endpoint.pid ?? 0;
	const [runner = 0, ...more] = children(daemon);
	assert.deepEqual(more, []);
	const environment = readFileSync(`/proc/${runner}/environ`, 'utf8').split('\0');
	for (const [name, value] of Object.entries(forbidden)) {
		assert.ok(!environment.some((entry) => entry.startsWith(`${name}=`)), name);
		assert.ok(!environment.some((entry) => entry.includes(value) && value.length > 4), name);
	}
	const scratch = readlinkSync(`/proc/${runner}/cwd`);
	assert.match(basename(scratch), /^nearglot-runner-/);
	assert.equal(dirname(scratch), realpathSync(join(home.folder, 'tmp')));
	assert.equal(statSync(scratch).mode & 0o777, 0o700);
	assert.match(readFileSync(`/proc/${runner}/cmdline`, 'utf8'), /--permission/);
	if (canConfine())
		assert.match(readFileSync(`/proc/${runner}/status`, 'utf8'), /\nNoNewPrivs:\t1\n/);
	// What it found of its graphs, the daemon has written.
	assert.deepEqual(readdirSync(join(models, 'wall-chat', 'onnx')), published);
	const kept = await new VerdictFile(home.folder).of(join(models, 'wall-chat'));
	assert.ok(kept.length > 0);
	await home.run(['models', 'unload', '--all']);
	await until('the folder of the runner is gone', () => !existsSync(scratch));
	assert.ok(existsSync(dirname(scratch)));
});
