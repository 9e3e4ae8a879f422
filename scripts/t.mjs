/**
 * `npm run t`: runs the tests that your changes reach, nearest first, and again on every save.
 * `-- --once` ends after the first run, `-- --since REF` counts what has changed since a commit (default: HEAD),
 * `-- PATH …` takes these files for changed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './node.mjs';
import { importers, sources, testsReached } from './reached.mjs';

const { values, positionals } = parseArgs({
	options: {
		once: { type: 'boolean', default: false },
		since: { type: 'string', default: 'HEAD' },
	},
	allowPositionals: true,
});

function git(...args) {
	const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
	if (status !== 0) throw new Error(stderr.trim());
	return stdout.split('\n').filter((line) => line !== '');
}

const changedFiles = () => [
	...git('diff', '--name-only', '--relative', values.since),
	...git('ls-files', '--others', '--exclude-standard'),
];

let running;
/** Runs test files one after the other in their order; a new run ends the one before. */
function runTests(files) {
	running?.kill();
	const list = files.filter((file) => existsSync(join(root, file)));
	if (list.length === 0) {
		console.log('No test reaches what has changed.');
		return Promise.resolve(0);
	}
	console.log(
		`${list.length} test files: ${list.slice(0, 5).join(', ')}${list.length > 5 ? ' …' : ''}`,
	);
	running = spawn(
		process.execPath,
		['--test', '--test-timeout=300000', '--disable-warning=ExperimentalWarning', ...list],
		{ cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
	);
	return new Promise((resolve) => running.once('exit', (code) => resolve(code ?? 1)));
}

const reached = (changed) => testsReached(importers(root, sources(root)), changed);
const first = await runTests(
	reached(
		positionals.length > 0 ? positionals.map((path) => path.split(sep).join('/')) : changedFiles(),
	),
);
if (values.once) process.exit(first);

console.log('Waiting for changes; Ctrl+C ends.');
const saved = new Set();
let timer;
for (const folder of ['server', 'extension', 'webview', 'test', 'scripts', 'bench']) {
	watch(join(root, folder), { recursive: true }, (_, name) => {
		if (name === null || /\.work|node_modules/.test(name) || !/\.(ts|tsx|mjs)$/.test(name)) return;
		saved.add(
			relative(root, join(root, folder, name))
				.split(sep)
				.join('/'),
		);
		clearTimeout(timer);
		// Editors write a file in several steps.
		timer = setTimeout(async () => {
			const files = reached([...saved]);
			saved.clear();
			await runTests(files);
		}, 100);
	});
}
