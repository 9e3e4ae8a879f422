/** Loads the named files of this folder into one process, so that they share one VS Code. */

import { join } from 'node:path';
import { after, afterEach } from 'node:test';
import { closeTeamDesk, pictureTeamWindows } from './teamDesk.ts';
import { clearWindows, closeDesk } from './window.ts';

const files = process.argv.slice(2);
afterEach(async (done) => {
	if (!('passed' in done) || done.passed) return;
	await pictureTeamWindows(done.name);
	await clearWindows(done.name);
});
if (files.length === 0) throw new Error('No end-to-end test matches.');
for (const file of files) await import(join(import.meta.dirname, file));
after(closeDesk);
after(closeTeamDesk);
