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
	const result = { passed: 0, skipped: 0, failures: new Map() };
	const stream = run({
		files: list,
		concurrency,
		timeout: 300_000,
		execArgv: ['--disable-warning=ExperimentalWarning'],
	});
	stream.on('test:pass', (event) => {
		if (event.details?.type === 'suite') return;
		if (event.skip !== undefined) result.skipped++;
		else result.passed++;
	});
	stream.on('test:fail', (event) => {
		if (event.details?.type === 'suite') return;
		const file = event.file ?? '';
		result.failures.set(file, [...(result.failures.get(file) ?? []), event.name]);
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
	for (const [file, names] of first.failures) {
		const still = second.failures.get(file) ?? [];
		for (const name of names) {
			if (still.includes(name)) continue;
			console.log(`SECOND TRY ${relative(root, file)}: ${name}`);
			passed++;
		}
	}
	failures = second.failures;
}
let failed = 0;
for (const [file, names] of failures) {
	failed += names.length;
	for (const name of names) console.log(`FAILED ${relative(root, file)}: ${name}`);
}
console.log(`tests took ${Math.round((performance.now() - started) / 1000)} s`);
console.log(`${passed} passed, ${failed} failed, ${first.skipped} skipped`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
