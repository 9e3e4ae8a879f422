/** Loads the files of this folder into one process, so that they share one VS Code. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { closeDesk } from './window.ts';

const only = (process.env['E2E_ONLY'] ?? '').split(' ').filter((part) => part !== '');
const files = readdirSync(import.meta.dirname)
	.filter((file) => file.endsWith('.e2e.ts'))
	.filter((file) => only.length === 0 || only.some((part) => file.includes(part)))
	.sort();
for (const file of files) await import(join(import.meta.dirname, file));
after(closeDesk);
