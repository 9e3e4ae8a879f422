/**
 * Runs the unit and conformance tests with node:test and ends with `N passed, N failed`.
 * `node scripts/test.mjs [path fragment …]` runs the files whose path contains a fragment.
 */
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, sep } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { root } from './node.mjs';

const wanted = process.argv.slice(2);
const files = readdirSync(join(root, 'test'), { recursive: true })
	.map((file) => join(root, 'test', file))
	.filter((file) => file.endsWith('.test.ts') && !file.includes(`${sep}e2e${sep}`))
	.filter(
		(file) => wanted.length === 0 || wanted.some((part) => relative(root, file).includes(part)),
	)
	.sort();
if (files.length === 0) {
	console.error(`No test file matches ${wanted.join(', ')}.`);
	process.exit(1);
}

/** Runs files; resolves to the counts and to what failed, by file. */
function runFiles(list, concurrency) {
	const result = {
		passed: 0,
		skipped: 0,
		failures: new Map(),
		passes: new Set(),
		durationsMs: new Map(),
	};
	const stream = run({
		files: list,
		concurrency,
		timeout: 300_000,
		execArgv: ['--disable-warning=ExperimentalWarning'],
	});
	stream.on('test:pass', (event) => {
		if (event.details?.type === 'suite') return;
		if (event.skip !== undefined) result.skipped++;
		else {
			result.passed++;
			result.passes.add(`${event.file}: ${event.name}`);
		}
	});
	stream.on('test:fail', (event) => {
		if (event.details?.type === 'suite') return;
		const file = event.file ?? '';
		result.failures.set(file, [...(result.failures.get(file) ?? []), event.name]);
	});
	stream.on('test:complete', ({ name, file, details }) => {
		// A file is reported like a test that has its path as name.
		if (name === file) result.durationsMs.set(file, details.duration_ms ?? 0);
	});
	stream.compose(new spec()).pipe(process.stdout);
	return new Promise((resolve) => stream.once('end', () => setImmediate(resolve, result)));
}

const started = performance.now();
const first = await runFiles(files, Math.max(1, Math.min(4, availableParallelism())));
let { passed } = first;
let failures = first.failures;
// What fails while other files compete for the processor gets one more try on its own, and is named.
const again = [...failures.keys()].filter((file) => files.includes(file));
if (again.length > 0 && again.length === failures.size && again.length <= 5) {
	const second = await runFiles(again, 1);
	// The second try is for what failed; what passed in the first one has passed.
	failures = new Map();
	for (const [file, names] of first.failures) {
		const still = names.filter((name) => !second.passes.has(`${file}: ${name}`));
		if (still.length > 0) failures.set(file, still);
		for (const name of names.filter((name) => !still.includes(name))) {
			console.log(`SECOND TRY ${relative(root, file)}: ${name}`);
			passed++;
		}
	}
}
let failed = 0;
for (const [file, names] of failures) {
	failed += names.length;
	for (const name of names) console.log(`FAILED ${relative(root, file)}: ${name}`);
}
console.log('slowest files:');
const slowest = [...first.durationsMs].sort(([, a], [, b]) => b - a).slice(0, 10);
for (const [file, ms] of slowest) {
	console.log(`${(ms / 1000).toFixed(1).padStart(7)} s ${relative(root, file)}`);
}
console.log(`tests took ${Math.round((performance.now() - started) / 1000)} s`);
console.log(`${passed} passed, ${failed} failed, ${first.skipped} skipped`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
