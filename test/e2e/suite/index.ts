/** Entry that VS Code's test runner loads: runs the mocha suite and writes what came out. */

import { writeFileSync } from 'node:fs';
import loaded from 'mocha';
import * as vscode from 'vscode';

/** By its name: what `require` gives itself is another value on the Nodes of older editors. */
const { Mocha } = loaded as unknown as { readonly Mocha: typeof loaded };

interface Outcome {
	readonly title: string;
	readonly passed: boolean;
	readonly error?: string;
	readonly durationMs?: number;
}

/** Called inside the extension host, by @vscode/test-electron and by the headless host alike. */
export async function run(): Promise<void> {
	const mocha = new Mocha({ ui: 'bdd', timeout: 90_000, color: false });
	const tests: Outcome[] = [];
	mocha.suite.emit('pre-require', globalThis, '', mocha);
	await import('./extension.ts');
	await import('./ai.ts');
	await import('./editing.ts');
	await import('./history.ts');
	await import('./insertion.ts');
	await import('./recordings.ts');
	// For work on a few tests: only those whose title contains this.
	const only = process.env['SUITE_ONLY'];
	if (only) mocha.grep(new RegExp(only));
	const failures = await new Promise<number>((resolve) => {
		const runner = mocha.run(resolve);
		runner.on('pass', (test) =>
			tests.push({ title: test.fullTitle(), passed: true, durationMs: test.duration ?? 0 }),
		);
		runner.on('fail', (test, error: Error) =>
			tests.push({
				title: test.fullTitle(),
				passed: false,
				error: String(error.stack ?? error).slice(0, 1500),
			}),
		);
	});
	const report = process.env['TEST_REPORT'];
	const extension = vscode.extensions.getExtension<{ activationMs?: number }>('nearglot.nearglot');
	// What an extension exports is there once it is active, which a few tests alone may not need.
	const activationMs = extension?.isActive ? extension.exports?.activationMs : undefined;
	if (report) writeFileSync(report, JSON.stringify({ tests, activationMs }));
	if (failures > 0) throw new Error(`${failures} tests failed`);
}
