/**
 * End-to-end tests in a real VS Code: the mocha suite inside the extension host, then the packed VSIX
 * driven through a browser. Needs linux-x64 and Chromium. Ends with `N passed, N failed`.
 * `node scripts/e2e.mjs [suite|ui] [path fragment …]`.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { root } from './node.mjs';
import { installHost } from './vscode-host/install.mjs';

const work = join(root, 'test/.work/e2e');
const [only, ...fragments] = process.argv.slice(2);
let passed = 0;
let failed = 0;

function tell(title, error, durationMs = 0) {
	if (error === undefined) passed++;
	else failed++;
	const seconds = (durationMs / 1000).toFixed(1);
	console.log(`${error === undefined ? 'ok    ' : 'FAILED'} ${title} (${seconds} s)`);
	if (error) console.log(`       ${error.replaceAll('\n', '\n       ')}`);
}

installHost();
if (only !== 'ui') {
	const { runSuite } = await import('./vscode-host/suite.mjs');
	const { tests, activationMs } = await runSuite({ dir: join(work, 'suite') });
	if (activationMs !== undefined) console.log(`activate() took ${activationMs.toFixed(1)} ms`);
	for (const { title, passed: ok, error, durationMs } of tests) {
		tell(title, ok ? undefined : (error ?? 'failed'), durationMs);
	}
	stopDaemon(join(work, 'suite/home'));
}
if (only !== 'suite') {
	const packed = spawnSync(process.execPath, [join(root, 'scripts/package.mjs'), 'linux-x64'], {
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	if (packed.status !== 0) tell('the extension is packed', `scripts/package.mjs: ${packed.status}`);
	else await runUi();
	stopDaemon(join(work, 'ui/home'));
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

async function runUi() {
	process.env.E2E_DIR = join(work, 'ui');
	process.env.E2E_VSIX = join(root, 'nearglot-linux-x64.vsix');
	process.env.E2E_ONLY = fragments.join(' ');
	const stream = run({ files: [join(root, 'test/e2e/ui.ts')], timeout: 1_200_000 });
	const finished = new Promise((resolve) => stream.once('end', resolve));
	stream.on('test:pass', ({ name, details, nesting }) => {
		if (details.type !== 'suite' && nesting === 0) tell(name, undefined, details.duration_ms);
	});
	stream.on('test:fail', ({ name, details }) => {
		const cause = details.error?.cause ?? details.error;
		tell(name, String(cause?.stack ?? cause), details.duration_ms);
	});
	stream.on('test:stderr', ({ message }) => process.stderr.write(message));
	stream.resume();
	await finished;
}

/** Ends the daemon a run has started, which would otherwise wait for more work. */
function stopDaemon(home) {
	try {
		process.kill(JSON.parse(readFileSync(join(home, 'endpoint.json'), 'utf8')).pid, 'SIGTERM');
	} catch {
		// None was started, or it has ended.
	}
}
