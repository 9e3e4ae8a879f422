/**
 * Copies pictures the end-to-end tests have made, light and dark, to docs/screenshots/, where the documents show them, and makes
 * the tour, a film of one of these tests, an animated WebP (with ffmpeg). `node scripts/screenshots.mjs` after
 * `E2E_FILM=1 node scripts/e2e.mjs ui chat.e2e views.e2e transcript.e2e messages.e2e studio.e2e tour.e2e`.
 */

import { spawnSync } from 'node:child_process';
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { root } from './node.mjs';

/** Name in the documents → picture of a test. */
const pictures = {
	chat: 'chat-answer',
	translate: 'missing-messages',
	transcript: 'transcript',
	models: 'models',
	studio: 'studio-words',
};

const source = join(root, 'test/.work/e2e/ui/pictures');
const target = join(root, 'docs/screenshots');
mkdirSync(target, { recursive: true });
const told = (file) =>
	console.log(`${file.slice(target.length + 1)}: ${Math.round(statSync(file).size / 1000)} kB`);
for (const suffix of ['', '-dark']) {
	for (const [name, picture] of Object.entries(pictures)) {
		const file = join(source, `${picture}${suffix}.png`);
		if (!existsSync(file)) {
			console.log(`${name}: ${picture}${suffix}.png was not made by the last run`);
			continue;
		}
		copyFileSync(file, join(target, `${name}${suffix}.png`));
		told(join(target, `${name}${suffix}.png`));
	}
	tour(suffix);
}

/** One frame after the other, each as long as the film says; only what changes is kept, without loss. */
function tour(suffix) {
	const folder = join(source, `tour${suffix}`);
	const list = join(folder, 'frames.json');
	if (!existsSync(list)) {
		console.log(`tour${suffix}: no film was made by the last run (E2E_FILM=1)`);
		return;
	}
	const frames = JSON.parse(readFileSync(list, 'utf8'));
	const lines = frames.map(({ file, ms }) => `file ${file}\nduration ${ms / 1000}\n`);
	const script = join(folder, 'frames.txt');
	// The last frame is named twice: else it has no duration.
	writeFileSync(script, `ffconcat version 1.0\n${lines.join('')}file ${frames.at(-1).file}\n`);
	const file = join(target, `tour${suffix}.webp`);
	const form = ['-c:v', 'libwebp_anim', '-lossless', '1', '-compression_level', '6', '-loop', '0'];
	const made = spawnSync(
		'ffmpeg',
		['-v', 'error', '-y', '-f', 'concat', '-i', script, '-fps_mode', 'vfr', ...form, file],
		{ encoding: 'utf8' },
	);
	if (made.status === 0) told(file);
	else console.log(made.stderr || String(made.error));
}
