/**
 * End-to-end tests in a real VS Code: the mocha suite inside the extension host, then the packed VSIX
 * driven through a browser. Needs linux-x64 and Chromium. Ends with `N passed, N failed`.
 * `node scripts/e2e.mjs [suite|ui] [path fragment …]`.
 */

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { run } from 'node:test';
import { root } from './node.mjs';
import { installHost } from './vscode-host/install.mjs';

const work = join(root, 'test/.work/e2e');
const uiTests = join(root, 'test/e2e/ui.ts');
const [only, ...fragments] = process.argv.slice(2);
const secondTry = 'SECOND TRY';

function tell({ title, error, durationMs }) {
	console.log(`${error ? 'FAILED' : 'ok    '} ${title} (${(durationMs / 1000).toFixed(1)} s)`);
	if (error) console.log(`       ${error.replaceAll('\n', '\n       ')}`);
}

installHost();
const results = [];
if (only !== 'ui') results.push(...(await runSuiteTwice()));
if (only !== 'suite') {
	results.push(...(await runPacked()));
	stopDaemon(join(work, 'ui/home'));
}
const failed = results.filter(({ error }) => error).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 && results.length > 0 ? 0 : 1);

/** The tests inside the extension host; all again when one failed. */
async function runSuiteTwice() {
	const { runSuite } = await import('./vscode-host/suite.mjs');
	const once = async () => {
		const { tests, activationMs } = await runSuite({ dir: join(work, 'suite') });
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
	console.log(secondTry);
	return await once();
}

/** The packed extension in a browser; files in which a test failed are tried again, alone. */
async function runPacked() {
	const packed = spawnSync(process.execPath, [join(root, 'scripts/package.mjs'), 'linux-x64'], {
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	if (packed.status !== 0)
		return [{ title: 'the extension is packed', error: `scripts/package.mjs: ${packed.status}` }];
	rmSync(join(work, 'ui/pictures'), { recursive: true, force: true });
	const first = await runUi(uiFiles(fragments));
	const files = new Set(first.filter(({ error }) => error).map(({ file }) => file));
	if (files.size === 0) return first;
	console.log(`${secondTry}: ${[...files].join(' ')}`);
	// The process itself ended: nobody knows which tests it has left out.
	const second = await runUi(files.has(basename(uiTests)) ? uiFiles(fragments) : [...files]);
	if (files.has(basename(uiTests))) return second;
	// The second try is for what failed; what passed in the first one has passed.
	return first.map((result) =>
		result.error === undefined
			? result
			: (second.find(({ file, title }) => file === result.file && title === result.title) ??
				result),
	);
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
