/**
 * The door of every npm script: `node scripts/run.mjs <task> [args]`. Installs what is missing, finds
 * a Node that suits and runs the task with it. Written for old Nodes too.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { forwardSignals } from './forwardSignals.mjs';
import { install, root, suitableNode } from './node.mjs';

const bin = (name, file) => [join('node_modules', ...name.split('/'), file)];
const build = ['esbuild.mjs'];
const typecheck = [...bin('typescript', 'bin/tsc'), '-b'];
const lint = [...bin('@biomejs/biome', 'bin/biome'), 'check'];

const tasks = {
	start: [build, ['scripts/start.mjs']],
	build: [build],
	watch: [[...build, '--watch']],
	typecheck: [typecheck],
	lint: [lint],
	format: [[...lint, '--write']],
	test: [build, typecheck, lint, ['scripts/test.mjs', '--built']],
	'test:only': [['scripts/test.mjs']],
	'test:pure': [['scripts/test.mjs', '--kind', 'pure']],
	'test:model': [['scripts/test.mjs', '--kind', 'model']],
	'test:process': [['scripts/test.mjs', '--kind', 'process']],
	t: [['scripts/t.mjs']],
	'test:e2e': [build, ['scripts/e2e.mjs']],
	'test:desktop': [build, ['test/e2e/runTest.ts']],
	package: [[...build, '--production'], ['scripts/package.mjs']],
	'package:npm': [[...build, '--production'], ['scripts/packageNpm.mjs']],
	check: [build, typecheck, lint, ['scripts/test.mjs', '--built'], ['scripts/e2e.mjs']],
	docs: [['node_modules/vitepress/bin/vitepress.js', 'build', 'docs']],
	bench: [build, ['bench/run.mjs']],
};

async function main() {
	const [task = '', ...rest] = process.argv.slice(2);
	const steps = tasks[task];
	if (!steps) {
		console.error(`Unknown task '${task}'. Known: ${Object.keys(tasks).join(', ')}.`);
		process.exit(2);
	}
	install();
	const node = suitableNode();
	for (const [index, step] of steps.entries()) {
		const last = index === steps.length - 1;
		const code = await run(node, [...step, ...(last ? rest : [])]);
		if (code !== 0) process.exit(code);
	}
}

function run(node, args) {
	const child = spawn(node, args, { cwd: root, stdio: 'inherit' });
	const stop = forwardSignals(child);
	return new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', (code, signal) => {
			stop();
			resolve(code ?? (signal ? 1 : 0));
		});
	});
}

main().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
