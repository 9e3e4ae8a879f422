/**
 * Copies pictures the end-to-end tests have made to docs/screenshots/, where the README shows them.
 * `node scripts/screenshots.mjs` after `node scripts/e2e.mjs ui`.
 */

import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node.mjs';

/** Name in the README → picture of a test. */
const pictures = {
	chat: 'chat-answer',
	translate: 'missing-messages-chosen',
	models: 'models',
	studio: 'studio-translate',
	transcript: 'transcript',
};

const source = join(root, 'test/.work/e2e/ui/pictures');
const target = join(root, 'docs/screenshots');
mkdirSync(target, { recursive: true });
for (const [name, picture] of Object.entries(pictures)) {
	const file = join(source, `${picture}.png`);
	if (!existsSync(file)) {
		console.log(`${name}: ${picture}.png was not made by the last run`);
		continue;
	}
	copyFileSync(file, join(target, `${name}.png`));
	console.log(`${name}.png: ${Math.round(statSync(file).size / 1000)} kB`);
}
