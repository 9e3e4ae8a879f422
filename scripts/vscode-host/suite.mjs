/** Builds the mocha suite of test/e2e/suite and runs it inside the headless VS Code. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import esbuild from 'esbuild';
import { chromium } from 'playwright-core';
import { root } from '../node.mjs';
import { chromiumOptions, startHost } from './server.mjs';

/** Bundles the suite into one CommonJS file, as VS Code loads it, and returns its path. */
export async function buildSuite() {
	const outfile = join(root, 'test/.work/suite/index.cjs');
	await esbuild.build({
		entryPoints: [join(root, 'test/e2e/suite/index.ts')],
		outfile,
		bundle: true,
		platform: 'node',
		target: 'node22',
		format: 'cjs',
		external: ['vscode', 'mocha'],
		sourcemap: 'inline',
		logLevel: 'warning',
	});
	return outfile;
}

/** Runs the suite; resolves to its results. `version` is that of the editor, `dir` gets logs, and a picture when it failed. */
export async function runSuite({ dir, version, limitMs = 240_000 }) {
	const suite = await buildSuite();
	rmSync(dir, { recursive: true, force: true, maxRetries: 10 });
	const folder = join(dir, 'workspace');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'notes.txt'), 'The file could not be opened.\nPlease try again.\n');
	const report = join(dir, 'report.json');
	const host = await startHost({
		dir,
		suite: true,
		version,
		env: { TEST_REPORT: report, NEARGLOT_HOME: join(dir, 'home') },
	});
	const browser = await chromium.launch(chromiumOptions);
	let ended;
	try {
		const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
		const done = new Promise((resolve) => page.exposeFunction('codeAutomationExit', resolve));
		await page.exposeFunction('codeAutomationLog', () => {});
		const payload = [
			['extensionDevelopmentPath', host.remote(root)],
			['extensionTestsPath', host.remote(suite)],
		];
		const query = new URLSearchParams({ folder, payload: JSON.stringify(payload) });
		await page.goto(`${host.base}/?${query}`);
		const limit = new Promise((resolve) => setTimeout(resolve, limitMs, 'no end in time').unref());
		ended = await Promise.race([done, limit]);
		if (ended !== 0) await page.screenshot({ path: join(dir, 'failure.png') });
	} finally {
		await browser.close();
		await host.stop();
	}
	if (existsSync(report)) return JSON.parse(readFileSync(report, 'utf8'));
	const title = `the suite wrote no report (${ended}); see ${dir}`;
	return { tests: [{ title, passed: false }] };
}
