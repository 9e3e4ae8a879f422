/** The command line as npm installs it: without a network, without a script, with the one platform's native code. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { nativePlatforms } from '../../scripts/nativeFiles.mjs';
// @ts-expect-error: the scripts are plain JavaScript
import { npmCommand, root } from '../../scripts/node.mjs';

const platform = `${process.platform}-${process.arch}`;
const options = { skip: !nativePlatforms.includes(platform) && `no package for ${platform}` };
let folder: string;
/** An own Node first: `npm` may come with an older one. */
const env = () => ({
	...process.env,
	PATH: `${dirname(process.execPath)}${process.platform === 'win32' ? ';' : ':'}${process.env['PATH']}`,
	NEARGLOT_HOME: join(folder, 'data'),
	HOME: folder,
	npm_config_cache: join(folder, 'cache'),
	npm_config_update_notifier: 'false',
});

before(async () => {
	folder = await mkdtemp(join(tmpdir(), 'nearglot npm ü '));
});
after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

function run(command: string, args: readonly string[]) {
	const done = spawnSync(command, args, {
		cwd: folder,
		env: env(),
		encoding: 'utf8',
		timeout: 120_000,
	});
	return { ...done, told: `${done.stdout}${done.stderr}` };
}

const nearglot = (...args: string[]) =>
	run(process.execPath, [join(folder, 'node_modules/nearglot/bin/nearglot.cjs'), ...args]);

test('the packages install without a network and run nothing while they do', options, () => {
	const script = join(root, 'scripts/packageNpm.mjs');
	const packing = run(process.execPath, [script, '--out', folder, platform]);
	assert.equal(packing.status, 0, packing.told);
	const archives = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
	assert.equal(archives.length, 2);
	writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
	const [npm, first] = npmCommand() as [string, string[]];
	const quiet = ['--offline', '--no-audit', '--no-fund', '--foreground-scripts'];
	const installing = run(npm, [
		...first,
		'install',
		...quiet,
		...archives.map((name) => `./${name}`),
	]);
	assert.equal(installing.status, 0, installing.told);
	const native = join(folder, `node_modules/@nearglot/runtime-${platform}/node_modules`);
	for (const name of ['onnxruntime-node', 'koffi']) {
		const manifest = JSON.parse(readFileSync(join(native, name, 'package.json'), 'utf8'));
		assert.equal(manifest.scripts, undefined);
		assert.ok(!existsSync(join(folder, 'node_modules', name)));
	}
});

test('the built-in model answers from the installed packages', options, () => {
	const answer = nearglot('chat', 'extract a tar.gz file');
	assert.equal(answer.status, 0, answer.told);
	assert.match(answer.stdout, /tar xf archive\.tar\.gz/);
	stopDaemon();
});

test('without the package of the platform it is said what to install', options, () => {
	rmSync(join(folder, 'node_modules/@nearglot'), { recursive: true });
	const answer = nearglot('chat', 'extract a tar.gz file');
	assert.equal(answer.status, 1);
	assert.match(answer.stderr, new RegExp(`npm install @nearglot/runtime-${platform}`));
	stopDaemon();
});

/** The daemon that the command line has started and that would wait for more work. */
function stopDaemon(): void {
	const file = join(folder, 'data/endpoint.json');
	process.kill(JSON.parse(readFileSync(file, 'utf8')).pid, 'SIGTERM');
	for (let tries = 0; existsSync(file) && tries < 500; tries++)
		Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}
