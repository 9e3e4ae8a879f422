/**
 * Runs the unit and conformance tests with node:test and ends with `N passed, N failed`.
 * `node scripts/test.mjs [--kind pure|model|process] [--built] [path fragment …]` runs the files of these kinds whose
 * path contains a fragment; `--built` has them start the program that was built instead of its sources. Pure files
 * share a few processes; each other file has its own.
 */
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, sep } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { root } from './node.mjs';
import { recordSecondTries } from './secondTries.mjs';
import { kinds, namedKind } from './testKinds.mjs';

const { values, positionals: wanted } = parseArgs({
	options: {
		kind: { type: 'string', multiple: true, default: [...kinds] },
		built: { type: 'boolean', default: false },
	},
	allowPositionals: true,
});
if (values.built) process.env.NEARGLOT_TEST_PROGRAM = 'dist/server.cjs';
const path = (file) => relative(root, file).split(sep).join('/');
const files = readdirSync(join(root, 'test'), { recursive: true })
	.map((file) => join(root, 'test', file))
	.filter((file) => file.endsWith('.test.ts') && !file.includes(`${sep}e2e${sep}`))
	.filter((file) => wanted.length === 0 || wanted.some((part) => path(file).includes(part)))
	.filter((file) => values.kind.includes(namedKind(file)))
	.sort();
if (files.length === 0) {
	console.error(`No test file of kind ${values.kind.join(', ')} matches ${wanted.join(', ')}.`);
	process.exit(1);
}
/** Take longest: they begin first, so that none of them runs alone at the end. */
const longest = [
	'starter/recipe.process',
	'docs/blocks.process',
	'bench/soak/soak.process',
	'hostile/holds.process',
	'daemon/daemon.process',
	'daemon/providers.process',
	'http/hostileModels.process',
];
const isLongest = (file) => longest.some((part) => path(file).startsWith(`test/${part}.`));
const processors = Math.max(1, Math.min(4, availableParallelism()));

const emptyResult = () => ({
	passed: 0,
	skipped: 0,
	failures: new Map(),
	passes: new Set(),
	durationsMs: new Map(),
});

const testProcess = pathToFileURL(join(root, 'scripts/testProcess.mjs')).href;

/** Runs files into a result; what is shown waits for the end of `options.argv`'s files, which share a process. */
function runInto(result, options) {
	const shared = options.argv ?? [];
	const stream = run({
		// Wine alone takes longer.
		timeout: process.env.NEARGLOT_WINE === '1' ? 1_200_000 : 300_000,
		execArgv: ['--disable-warning=ExperimentalWarning', '--import', testProcess],
		...options,
	});
	const fail = (file, name) =>
		result.failures.set(file, [...(result.failures.get(file) ?? []), name]);
	stream.on('test:pass', (event) => {
		if (event.details?.type === 'suite') return;
		if (event.skip !== undefined) result.skipped++;
		else {
			result.passed++;
			result.passes.add(`${event.file}: ${event.name}`);
		}
	});
	stream.on('test:fail', (event) => {
		if (event.details?.error?.failureType === 'subtestsFailed') return;
		// What fails outside of tests is told of the suite that a shared process makes of each file.
		fail(shared.includes(event.name) ? event.name : (event.file ?? ''), event.name);
	});
	stream.on('test:complete', ({ name, file, details }) => {
		// A file is reported like a test that has its path as name.
		if (name === file || shared.includes(name))
			result.durationsMs.set(name, details.duration_ms ?? 0);
	});
	if (shared.length === 0) stream.compose(new spec()).pipe(process.stdout, { end: false });
	const shown = [];
	if (shared.length > 0) stream.on('data', (event) => shown.push(event));
	return new Promise((resolve) =>
		stream.once('end', async () => {
			if (shared.length > 0) {
				const reporter = new spec();
				reporter.pipe(process.stdout, { end: false });
				for (const event of shown) reporter.write(event);
				reporter.end();
			}
			setImmediate(resolve);
		}),
	);
}

/** Runs pure files in as many processes as there are processors. */
async function runShared(list) {
	const result = emptyResult();
	const parts = Array.from({ length: Math.min(processors, list.length) }, () => []);
	for (const [index, file] of list.entries()) parts[index % parts.length].push(file);
	await Promise.all(
		parts.map((argv) =>
			runInto(result, { files: [join(root, 'scripts/pureTests.mjs')], argv, concurrency: 1 }),
		),
	);
	return result;
}

/** Runs files, each in a process of its own. */
async function runAlone(list, concurrency) {
	const result = emptyResult();
	if (list.length > 0) await runInto(result, { files: list, concurrency });
	return result;
}

const started = performance.now();
const seconds = () => Math.round((performance.now() - started) / 1000);
const pure = files.filter((file) => namedKind(file) === 'pure');
const results = [];
if (pure.length > 0) {
	results.push(await runShared(pure));
	console.log(`pure tests took ${seconds()} s`);
}
results.push(
	await runAlone(
		files
			.filter((file) => !pure.includes(file))
			.sort((a, b) => Number(isLongest(b)) - Number(isLongest(a))),
		// Most of their time they wait: for a timer, a disk, another program.
		processors * 2,
	),
);
let passed = results.reduce((sum, result) => sum + result.passed, 0);
const skipped = results.reduce((sum, result) => sum + result.skipped, 0);
const durationsMs = results.flatMap((result) => [...result.durationsMs]);
let failures = new Map(results.flatMap((result) => [...result.failures]));
// What fails while other files compete for the processor gets one more try on its own, and is kept in a list.
const again = [...failures.keys()].filter((file) => files.includes(file));
const secondTries = [];
if (again.length > 0 && again.length === failures.size && again.length <= 5) {
	const second = await runAlone(again, 1);
	// The second try is for what failed; what passed in the first one has passed.
	const first = failures;
	failures = new Map();
	for (const [file, names] of first) {
		const still = names.filter((name) => !second.passes.has(`${file}: ${name}`));
		if (still.length > 0) failures.set(file, still);
		for (const name of names.filter((name) => !still.includes(name))) {
			secondTries.push(`${path(file)}: ${name}`);
			passed++;
		}
	}
}
let failed = 0;
for (const [file, names] of failures) {
	failed += names.length;
	for (const name of names) console.log(`FAILED ${path(file)}: ${name}`);
}
if (secondTries.length > 0 || wanted.length === 0) {
	const twice = recordSecondTries(secondTries);
	failed += twice;
	passed -= twice;
}
console.log('slowest files:');
const slowest = durationsMs.sort(([, a], [, b]) => b - a).slice(0, 10);
for (const [file, ms] of slowest) {
	console.log(`${(ms / 1000).toFixed(1).padStart(7)} s ${path(file)}`);
}
console.log(`tests took ${seconds()} s`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
