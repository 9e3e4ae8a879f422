/**
 * What is shipped, as it is shipped: the extension's package is unpacked, npm's archives are installed
 * without a network, and the server in each is started and asked.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, sep } from 'node:path';
import { after, before, test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { nativePlatforms } from '../../scripts/nativeFiles.mjs';
// @ts-expect-error: the scripts are plain JavaScript
import { npmCommand, root } from '../../scripts/node.mjs';
import { unpack } from '../../server/hub/archive.ts';
import { gone } from '../daemon/home.ts';
import { type Figures, figuresLine, PackedServer } from './packedServer.ts';

const platform = `${process.platform}-${process.arch}`;
const options = { skip: !nativePlatforms.includes(platform) && `no package for ${platform}` };

let folder: string;
/** Bundles as they are shipped; those in dist/ are for development. */
let bundles: string;
const servers = new Map<string, PackedServer>();

before(async () => {
	folder = await mkdtemp(join(tmpdir(), 'nearglot packed ü '));
	bundles = join(folder, 'bundles');
	await node('esbuild.mjs', '--production', '--out', bundles);
});
after(async () => {
	await Promise.all([...servers.values()].map((server) => server.stop()));
	await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

interface Run {
	readonly status: number | string | null | undefined;
	readonly stdout: string;
	readonly stderr: string;
	readonly told: string;
}

/** Runs a program to its end, with an own Node first (`npm` may come with an older one) and an own home. */
function run(command: string, args: readonly string[], cwd: string): Promise<Run> {
	const env = {
		...process.env,
		PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
		NEARGLOT_HOME: join(folder, 'data'),
		HOME: folder,
		npm_config_cache: join(folder, 'cache'),
		npm_config_update_notifier: 'false',
	};
	return new Promise((resolve) => {
		const limits = { timeout: 120_000, maxBuffer: 1 << 26 };
		execFile(command, args, { cwd, env, ...limits }, (error, stdout, stderr) =>
			resolve({ status: error ? error.code : 0, stdout, stderr, told: `${stdout}${stderr}` }),
		);
	});
}

/** Runs one of the project's scripts; it must succeed. */
async function node(script: string, ...args: string[]): Promise<void> {
	const done = await run(process.execPath, [join(root, script), ...args], root);
	assert.equal(done.status, 0, done.told);
}

const nearglot = (...args: string[]) =>
	run(
		process.execPath,
		[join(folder, 'npm/node_modules/nearglot/bin/nearglot.cjs'), ...args],
		folder,
	);

test(
	'the command line installs without a network and runs nothing while it does',
	options,
	async () => {
		const home = join(folder, 'npm');
		await mkdir(home);
		await node('scripts/packageNpm.mjs', '--bundles', bundles, '--out', home, platform);
		const archives = readdirSync(home).filter((name) => name.endsWith('.tgz'));
		assert.equal(archives.length, 2);
		writeFileSync(join(home, 'package.json'), '{"private":true}\n');
		const [npm, first] = npmCommand() as [string, string[]];
		const quiet = ['--offline', '--no-audit', '--no-fund', '--foreground-scripts'];
		const files = archives.map((name) => `./${name}`);
		const installing = await run(npm, [...first, 'install', ...quiet, ...files], home);
		assert.equal(installing.status, 0, installing.told);
		const native = join(home, `node_modules/@nearglot/runtime-${platform}/node_modules`);
		for (const name of ['onnxruntime-node', 'koffi']) {
			const manifest = JSON.parse(readFileSync(join(native, name, 'package.json'), 'utf8'));
			assert.equal(manifest.scripts, undefined);
			assert.ok(!existsSync(join(home, 'node_modules', name)));
		}
	},
);

test('the extension for this platform unpacks with all its bundles', options, async () => {
	const packed = await unpackExtension(platform);
	assert.deepEqual(missingBundles(packed), []);
});

test('the extension without native code has the same bundles, no binary and no model', async () => {
	const packed = await unpackExtension('universal');
	assert.deepEqual(missingBundles(packed), []);
	assert.deepEqual(
		packed.filter((file) => /\.(node|dll|dylib|onnx)$|\.so(\.|$)/.test(file)),
		[],
	);
});

/** Packs the extension for a target and unpacks it; answers its files, with / on every system. */
async function unpackExtension(target: string): Promise<string[]> {
	await node('scripts/package.mjs', '--bundles', bundles, '--out', folder, target);
	const to = join(folder, target);
	renameSync(join(folder, `nearglot-${target}.vsix`), `${to}.zip`);
	await unpack(`${to}.zip`, to, AbortSignal.timeout(60_000));
	return filesOf(join(to, 'extension'));
}

/** Bundles and the data beside them that a package lacks. The readings of Japanese words are fetched when asked for. */
function missingBundles(packed: readonly string[]): string[] {
	return filesOf(bundles)
		.map((file) => (file === 'ThirdPartyNotices.txt' ? file : `dist/${file}`))
		.filter((file) => !packed.includes(file) && !file.includes('/kuromoji/'));
}

function filesOf(path: string): string[] {
	return readdirSync(path, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(path, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}

/** Entry points of the server, as shipped and as built in the checkout. */
const entries = (): Record<string, string> => ({
	checkout: join(root, 'dist/server.cjs'),
	extension: join(folder, platform, 'extension/dist/server.cjs'),
	'npm packages': join(folder, 'npm/node_modules/nearglot/dist/server.cjs'),
});

for (const name of ['checkout', 'extension', 'npm packages']) {
	test(
		`${name}: each built-in model answers, and the engine has nothing to remark`,
		options,
		async () => {
			const server = await PackedServer.start(
				entries()[name] as string,
				join(folder, `home ${name}`),
			);
			servers.set(name, server);
			const { choices } = await server.chat('extract a tar.gz file');
			assert.match(choices[0]?.message.content ?? '', /tar xf archive\.tar\.gz/);
			assert.deepEqual(await server.translate(['The file was saved.']), [
				'Die Datei wurde gespeichert.',
			]);
			assert.match(await server.transcribe(), /report/);
			const { builtIn, loaded } = await server.models();
			assert.ok(builtIn.length >= 3);
			const ids = (models: readonly string[]) => [...models].sort();
			assert.deepEqual(
				ids(loaded.map(({ model }) => model)),
				ids(builtIn.map(({ id }) => id)),
				'a built-in model was not asked',
			);
			for (const { model, stats } of loaded) {
				assert.deepEqual(stats.notices ?? [], [], model);
				assert.equal(stats.runtime, 'c-api', model);
			}
		},
	);
}

test('the speed of what is shipped is printed beside that of the checkout', options, async () => {
	const rounds = new Map([...servers.keys()].map((name) => [name, [] as Figures[]]));
	assert.equal(rounds.size, 3);
	// In turns, so that whatever else the machine does meets all of them.
	for (let round = 0; round < 3; round++)
		for (const [name, server] of servers) rounds.get(name)?.push(await server.measure());
	for (const [name, figures] of rounds) console.log(figuresLine(name, figures));
	await Promise.all([...servers.values()].map((server) => server.stop()));
});

test('the installed command line answers, and doctor finds nothing wrong', options, async () => {
	const answer = await nearglot('chat', 'extract a tar.gz file');
	assert.equal(answer.status, 0, answer.told);
	assert.match(answer.stdout, /tar xf archive\.tar\.gz/);
	const doctor = await nearglot('doctor');
	assert.equal(doctor.status, 0, doctor.told);
	await stopDaemon();
});

test('without the package of the platform it is said what to install', options, async () => {
	rmSync(join(folder, 'npm/node_modules/@nearglot'), { recursive: true });
	const answer = await nearglot('chat', 'extract a tar.gz file');
	assert.equal(answer.status, 1);
	assert.match(answer.stderr, new RegExp(`npm install @nearglot/runtime-${platform}`));
	await stopDaemon();
});

/** Ends the daemon that the command line has started and that would wait for more work. */
async function stopDaemon(): Promise<void> {
	const file = join(folder, 'data/endpoint.json');
	const { pid } = JSON.parse(readFileSync(file, 'utf8'));
	process.kill(pid, 'SIGTERM');
	await gone(pid);
}
