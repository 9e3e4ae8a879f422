/**
 * End-to-end tests in a real VS Code: the mocha suite inside the extension host, then the packed VSIX
 * driven through a browser. Needs linux-x64 and Chromium. Ends with `N passed, N failed`.
 * `node scripts/e2e.mjs [suite|ui] [path fragment …]`; `suite lowest` runs the suite in the lowest VS Code that the manifest allows.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { run } from 'node:test';
import { root } from './node.mjs';
import { recordSecondTries } from './secondTries.mjs';
import { installHost } from './vscode-host/install.mjs';

const work = join(root, 'test/.work/e2e');
const uiTests = join(root, 'test/e2e/ui.ts');
const [only, ...fragments] = process.argv.slice(2);
/** What failed first and passed then. */
const secondTries = [];

function tell({ title, error, durationMs }) {
	console.log(`${error ? 'FAILED' : 'ok    '} ${title} (${(durationMs / 1000).toFixed(1)} s)`);
	if (error) console.log(`       ${error.replaceAll('\n', '\n       ')}`);
}

const version = only === 'suite' && fragments[0] === 'lowest' ? 'lowest' : 'current';
installHost(version);
const results = [];
const packed = only === 'suite' ? undefined : pack();
if (only !== 'ui') results.push(...(await runSuiteTwice()));
if (packed !== undefined) {
	results.push(...(await runPacked(await packed)));
	stopDaemon(join(work, 'ui/home'));
}
const twice = secondTries.length > 0 || fragments.length === 0 ? recordSecondTries(secondTries) : 0;
const failed = results.filter(({ error }) => error).length + twice;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 && results.length > 0 ? 0 : 1);

/** The tests inside the extension host; all again when one failed. */
async function runSuiteTwice() {
	const { runSuite } = await import('./vscode-host/suite.mjs');
	const once = async () => {
		const { tests, activationMs } = await runSuite({ dir: join(work, 'suite'), version });
		stopDaemon(join(work, 'suite/home'));
		if (activationMs !== undefined) console.log(`activate() took ${activationMs.toFixed(1)} ms`);
		const all = tests.map(({ title, passed, error, durationMs = 0 }) => ({
			title,
			error: passed ? undefined : (error ?? 'failed'),
			durationMs,
		}));
		for (const result of all) tell(result);
		return all;
	};
	const first = await once();
	if (first.every(({ error }) => !error)) return first;
	console.log('Once more:');
	const second = await once();
	for (const { title, error } of first) {
		if (error && second.some((result) => result.title === title && !result.error))
			secondTries.push(`test/e2e/suite: ${title}`);
	}
	return second;
}

/** Packs the extension; resolves to the exit status. */
async function pack() {
	const packing = spawn(process.execPath, [join(root, 'scripts/package.mjs'), 'linux-x64'], {
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	const [status] = await once(packing, 'exit');
	return status;
}

/** The packed extension in a browser; files in which a test failed are tried again, alone. */
async function runPacked(status) {
	if (status !== 0)
		return [{ title: 'the extension is packed', error: `scripts/package.mjs: ${status}` }];
	rmSync(join(work, 'ui/pictures'), { recursive: true, force: true });
	const first = await runAtOnce(uiFiles(fragments));
	const files = new Set(first.filter(({ error }) => error).map(({ file }) => file));
	if (files.size === 0) return first;
	console.log(`Once more: ${[...files].join(' ')}`);
	// The process itself ended: nobody knows which tests it has left out.
	const second = await runUi(files.has(basename(uiTests)) ? uiFiles(fragments) : [...files]);
	const passedNow = (result) =>
		second.some(
			({ file, title, error }) => file === result.file && title === result.title && !error,
		);
	for (const result of first.filter(({ error }) => error)) {
		if (passedNow(result)) secondTries.push(`test/e2e/${result.file}: ${result.title}`);
	}
	if (files.has(basename(uiTests))) return second;
	// The second try is for what failed; what passed in the first one has passed.
	return first.map((result) =>
		result.error === undefined
			? result
			: (second.find(({ file, title }) => file === result.file && title === result.title) ??
				result),
	);
}

/**
 * Runs files with tests in a browser: first, alone, those that measure speed; then beside each other those
 * with an editor beside a team's server, which mostly wait for sessions to end, and the others.
 */
async function runAtOnce(files) {
	const text = (file) => readFileSync(join(dirname(uiTests), file), 'utf8');
	const speed = files.filter((file) => /speed/i.test(file));
	const team = files.filter((file) => text(file).includes("from './teamDesk.ts'"));
	const others = files.filter((file) => !speed.includes(file) && !team.includes(file));
	const alone = speed.length > 0 ? await runUi(speed) : [];
	const parts = [team, others].filter((part) => part.length > 0);
	const atOnce = await Promise.all(parts.map(runUi));
	return [...alone, ...atOnce.flat()];
}

/** Names of the files with tests in a browser whose name contains one of the fragments; all when there is none. */
function uiFiles(parts) {
	return readdirSync(dirname(uiTests))
		.filter((file) => file.endsWith('.e2e.ts'))
		.filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
		.sort();
}

/** @returns {Promise<{ title: string, file: string, error?: string, durationMs: number }[]>} */
async function runUi(files) {
	process.env.E2E_DIR = join(work, 'ui');
	process.env.E2E_VSIX = join(root, 'nearglot-linux-x64.vsix');
	const found = [];
	const add = ({ name, file, details }, error) => {
		const durationMs = details.duration_ms ?? 0;
		found.push({ title: name, file: basename(file ?? ''), error, durationMs });
		tell(found.at(-1));
	};
	const stream = run({ files: [uiTests], argv: files, timeout: 3_600_000 });
	const finished = new Promise((resolve) => stream.once('end', resolve));
	stream.on('test:pass', (event) => {
		if (event.details.type !== 'suite' && event.nesting === 0) add(event);
	});
	stream.on('test:fail', (event) => {
		const cause = event.details.error?.cause ?? event.details.error;
		add(event, String(cause?.stack ?? cause));
	});
	stream.on('test:stderr', ({ message }) => process.stderr.write(message));
	stream.resume();
	await finished;
	return found;
}

/** Ends the daemon a run has started, which would otherwise wait for more work. */
function stopDaemon(home) {
	try {
		process.kill(JSON.parse(readFileSync(join(home, 'endpoint.json'), 'utf8')).pid, 'SIGTERM');
	} catch {
		// None was started, or it has ended.
	}
}
