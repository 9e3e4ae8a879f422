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

let passed = 0;
let failed = 0;
let skipped = 0;
const failures = [];
const stream = run({
	files,
	concurrency: Math.max(1, Math.min(4, availableParallelism())),
	timeout: 300_000,
	execArgv: ['--disable-warning=ExperimentalWarning'],
});
stream.on('test:pass', (event) => {
	if (event.details?.type === 'suite') return;
	if (event.skip !== undefined) skipped++;
	else passed++;
});
stream.on('test:fail', (event) => {
	if (event.details?.type === 'suite') return;
	failed++;
	failures.push(`${relative(root, event.file ?? '')}: ${event.name}`);
});
stream.compose(new spec()).pipe(process.stdout);
stream.once('end', () => {
	setImmediate(() => {
		for (const failure of failures) console.log(`FAILED ${failure}`);
		console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
		process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
	});
});
