/**
 * Runs the suite in a desktop VS Code, which @vscode/test-electron downloads: for ordinary machines
 * with a display. `node test/e2e/runTest.ts [version]`.
 */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
// @ts-expect-error: the scripts are plain JavaScript
import { buildSuite } from '../../scripts/vscode-host/suite.mjs';

const root = join(import.meta.dirname, '..', '..');
const suite: string = await buildSuite();
process.exitCode = await runTests({
	extensionDevelopmentPath: root,
	extensionTestsPath: suite,
	...(process.argv[2] ? { version: process.argv[2] } : {}),
	extensionTestsEnv: { NEARGLOT_HOME: mkdtempSync(join(tmpdir(), 'nearglot-')) },
	launchArgs: ['--disable-extensions', '--disable-workspace-trust'],
});
