/**
 * Imported by each process of tests. Sources are stripped of their types once for all of them, and for the programs
 * that they start with their own environment. A process that something keeps when its tests are over, or have run out
 * of time, ends: the whole run would wait for it.
 */
import asyncHooks, { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { enableCompileCache, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import workerThreads, { Worker } from 'node:worker_threads';
import { root } from './node.mjs';
import { threads } from './threads.mjs';

process.env['NODE_COMPILE_CACHE'] = join(root, 'test/.work/compiled');
enableCompileCache(process.env['NODE_COMPILE_CACHE']);

/**
 * The runner looks up which test an error or a nested test belongs to by the id of what runs, and for that follows
 * every promise of the process: up to half of its time. The context that Node hands on anyway says the same.
 */
const runningTest = new AsyncLocalStorage();
const { createHook, executionAsyncId } = asyncHooks;
const { runInAsyncScope } = AsyncResource.prototype;
const tests = new WeakSet();
/** The first hook is the runner's. */
asyncHooks.createHook = ({ init }) => {
	asyncHooks.createHook = createHook;
	return createHook({
		init: (id, type, trigger, resource) => {
			if (type !== 'Test') return;
			tests.add(resource);
			init(id, type, trigger, resource);
		},
		trackPromises: false,
	});
};
asyncHooks.executionAsyncId = () => runningTest.getStore() ?? executionAsyncId();
AsyncResource.prototype.runInAsyncScope = function (run, ...args) {
	if (!tests.has(this)) return runInAsyncScope.call(this, run, ...args);
	const id = this.asyncId();
	// Inside the scope, which begins with the context that its resource was made in.
	const inContext = function (...rest) {
		return runningTest.run(id, () => Reflect.apply(run, this, rest));
	};
	return runInAsyncScope.call(this, inContext, ...args);
};

// Where tests start what was built, threads are what was built too, and start sooner than sources.
if (process.env['NEARGLOT_TEST_PROGRAM'] === 'dist/server.cjs') {
	const built = new Map(
		Object.entries(threads).map(([name, source]) => [
			pathToFileURL(join(root, source)).href,
			join(root, 'dist', `${name}.cjs`),
		]),
	);
	workerThreads.Worker = class extends Worker {
		constructor(program, options) {
			super(built.get(String(program)) ?? program, options);
		}
	};
	syncBuiltinESMExports();
}

const [, file = ''] = process.argv;
/** Longer than a test may take; see scripts/test.mjs. Pure tests, which share a process, have nothing to keep it. */
const longestS = process.env['NEARGLOT_WINE'] === '1' ? 1_500 : 400;
if (!file.endsWith('pureTests.mjs'))
	setTimeout(() => {
		const kept = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout');
		console.error(`${file} has not ended after ${longestS} s. Open: ${kept.join(', ')}`);
		endChildren();
		process.exit(1);
	}, longestS * 1000).unref();

/** What it has started writes to the pipes of this process, and who reads these waits for their end. */
function endChildren() {
	if (process.platform !== 'linux') return;
	const { pid } = process;
	const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
	for (const child of children) if (child !== '') process.kill(Number(child), 'SIGKILL');
}
