/**
 * Copies pictures the end-to-end tests have made, light and dark, to docs/screenshots/, where the README shows them, and joins
 * them to a tour (with ffmpeg). `node scripts/screenshots.mjs` after
 * `node scripts/e2e.mjs ui chat.e2e views transcript.e2e editing studio`.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node.mjs';

/** Name in the README → picture of a test, in the order of the tour. */
const pictures = {
	chat: 'chat-answer',
	translate: 'missing-messages',
	transcript: 'transcript',
	models: 'models',
	studio: 'studio-words',
};
/** How long the tour shows each. */
const seconds = 3;

const source = join(root, 'test/.work/e2e/ui/pictures');
const target = join(root, 'docs/screenshots');
mkdirSync(target, { recursive: true });
for (const suffix of ['', '-dark']) {
	for (const [name, picture] of Object.entries(pictures)) {
		const file = join(source, `${picture}${suffix}.png`);
		if (!existsSync(file)) {
			console.log(`${name}: ${picture}${suffix}.png was not made by the last run`);
			continue;
		}
		copyFileSync(file, join(target, `${name}${suffix}.png`));
		console.log(`${name}${suffix}.png: ${Math.round(statSync(file).size / 1000)} kB`);
	}
	tour(suffix);
}

/** One picture after the other, in one colour table. */
function tour(suffix) {
	const files = Object.keys(pictures).map((name) => join(target, `${name}${suffix}.png`));
	if (!files.every((file) => existsSync(file))) return;
	const scaled = files.map(
		(_, at) =>
			`[${at}:v]scale=960:600:force_original_aspect_ratio=decrease,pad=960:600:-1:-1:color=gray,setsar=1[p${at}]`,
	);
	const joined = `${files.map((_, at) => `[p${at}]`).join('')}concat=n=${files.length}:v=1,split[a][b]`;
	const filter = [
		...scaled,
		joined,
		'[a]palettegen=max_colors=128[p]',
		'[b][p]paletteuse=dither=none',
	].join(';');
	const inputs = files.flatMap((file) => [
		'-loop',
		'1',
		'-framerate',
		'1',
		'-t',
		String(seconds),
		'-i',
		file,
	]);
	const file = join(target, `tour${suffix}.gif`);
	const made = spawnSync(
		'ffmpeg',
		['-v', 'error', '-y', ...inputs, '-filter_complex', filter, '-loop', '0', file],
		{
			encoding: 'utf8',
		},
	);
	console.log(
		made.status === 0
			? `tour${suffix}.gif: ${Math.round(statSync(file).size / 1000)} kB`
			: made.stderr,
	);
}
