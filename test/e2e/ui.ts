/** Loads the files of this folder into one process, so that they share one VS Code. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach } from 'node:test';
import { closeTeamDesk, pictureTeamWindows } from './teamDesk.ts';
import { clearWindows, closeDesk } from './window.ts';

const only = (process.env['E2E_ONLY'] ?? '').split(' ').filter((part) => part !== '');
const files = readdirSync(import.meta.dirname)
	.filter((file) => file.endsWith('.e2e.ts'))
	.filter((file) => only.length === 0 || only.some((part) => file.includes(part)))
	.sort();
afterEach(async (done) => {
	if (!('passed' in done) || done.passed) return;
	await pictureTeamWindows(done.name);
	await clearWindows(done.name);
});
if (files.length === 0) throw new Error(`No end-to-end test matches ${only.join(' ')}.`);
for (const file of files) await import(join(import.meta.dirname, file));
after(closeDesk);
after(closeTeamDesk);
