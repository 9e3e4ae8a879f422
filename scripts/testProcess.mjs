/**
 * Imported by each process of tests. Sources are stripped of their types once for all of them, and for the programs
 * that they start with their own environment. A process that something keeps when its tests are over, or have run out
 * of time, ends: the whole run would wait for it.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { root } from './node.mjs';

process.env['NODE_COMPILE_CACHE'] = join(root, 'test/.work/compiled');
enableCompileCache(process.env['NODE_COMPILE_CACHE']);

const [, file = ''] = process.argv;
/** Longer than a test may take; see scripts/test.mjs. Pure tests, which share a process, have nothing to keep it. */
const longestS = process.env['NEARGLOT_WINE'] === '1' ? 1_500 : 400;
if (!file.endsWith('pureTests.mjs'))
	setTimeout(() => {
		const kept = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout');
		console.error(`${file} has not ended after ${longestS} s. Open: ${kept.join(', ')}`);
		process.exit(1);
	}, longestS * 1000).unref();
