/** Whoever opens ONNX Runtime opens it without its telemetry, in whatever process. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { builtInModelsDir } from '../../server/daemon/machine.ts';
import { telemetryOff } from '../../server/engine/runtime/telemetry.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const graph = join(builtInModelsDir() ?? '', 'starter-chat', 'onnx', 'model_quantized.onnx');
const openRuntime = new URL('../../server/engine/verify/openRuntime.ts', import.meta.url).href;
const nativePackages = new URL('../../server/engine/runtime/nativePackages.ts', import.meta.url);
const skip = process.platform === 'win32' ? 'the library leaves no files on Windows' : false;

/**
 * Loads a graph in a process whose environment names nothing but its folders: the library is silent by
 * itself where a variable tells of continuous integration. Returns what lies in the folders after.
 * @param first code to run before; @param isolated without a network
 */
function load(plain: boolean, first = '', isolated = false): { files: string[]; events: string } {
	const folder = temporaryFolder('silent');
	mkdirSync(join(folder, 'tmp'));
	const code = `
		${first}
		const { openRuntime } = await import(${JSON.stringify(openRuntime)});
		const runtime = await openRuntime(${plain});
		(await runtime.open(${JSON.stringify(graph)}, { threads: 1 })).close();
		console.log(runtime.kind);`;
	const node = [process.execPath, '--input-type=module', '--eval', code];
	const [file = '', ...args] = isolated ? ['unshare', '--map-root-user', '--net', ...node] : node;
	const { stdout, stderr } = spawnSync(file, args, {
		encoding: 'utf8',
		env: { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: join(folder, 'tmp') },
	});
	assert.equal(stdout.trim(), plain ? 'session.run' : 'c-api', stderr);
	const files = readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
	const events = files
		.filter((path) => path.includes('onnxruntime.db'))
		.map((path) => readFileSync(path, 'latin1'))
		.join('');
	return { files, events };
}

for (const plain of [false, true])
	test(`a process that opens the library by the ${plain ? 'binding' : 'C API'} leaves no file`, {
		skip,
	}, () => {
		assert.deepEqual(load(plain).files, []);
	});

const isolates = spawnSync('unshare', ['--map-root-user', '--net', 'true']).status === 0;
for (const plain of [false, true])
	test(`the switch of the API is off as well, for the ${plain ? 'binding' : 'C API'}`, {
		skip: isolates ? skip : 'a network namespace is needed, because the library would send',
	}, () => {
		// What is set in an object of our own does not reach the library.
		const { events } = load(plain, 'process.env = { ...process.env };', true);
		assert.match(events, /ProcessInfo/, 'the library was not made to talk');
		assert.doesNotMatch(events, /SessionCreation/);
	});

test('a worker, whose environment the library does not see, is refused', async () => {
	const code = `
		const { parentPort } = require('node:worker_threads');
		import(${JSON.stringify(nativePackages.href)})
			.then(({ loadOrt }) => loadOrt())
			.then(() => parentPort.postMessage('opened'), (error) => parentPort.postMessage(error.message));`;
	const [[name]] = Object.entries(telemetryOff) as [[string, string]];
	const { [name]: _, ...env } = process.env;
	const worker = new Worker(code, { eval: true, env });
	const [said] = await Promise.all([
		new Promise((resolve) => worker.once('message', resolve)),
		new Promise((resolve) => worker.once('exit', resolve)),
	]);
	assert.match(String(said), /ORT_DISABLE_TELEMETRY=1/);
});
