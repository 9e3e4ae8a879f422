/** `bench -- translate [OPTIONS]`: quality and speed of translation, through the product's own doors. */

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runQuality } from '../quality/run.ts';
import { translateSpeed } from './speed.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const usage = `Usage: npm run bench -- translate [OPTIONS]

BLEU and chrF of the built-in translator on the evaluation sets, then words a second and
latency over HTTP: one sentence, 32 sentences, a file of 2,000 lines.

  --no-quality       speed only
  --no-speed         quality only
  --sets A,B         default tatoeba1000,flores-dev (see: bench -- quality --help)
  --languages A,B    default de,fr,es
  --limit N          sentences per set (default: all)
  --threads N        of the quality part; default: physical cores
  --requests N       short sentences whose latency is measured (default 100)
  --json FILE        also write the speed rows to FILE`;

/** Runs the bench; returns the exit code. */
export async function runTranslate(args: readonly string[]): Promise<number> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			quality: { type: 'boolean', default: true },
			speed: { type: 'boolean', default: true },
			sets: { type: 'string', default: 'tatoeba1000,flores-dev' },
			languages: { type: 'string', default: 'de,fr,es' },
			limit: { type: 'string', default: '0' },
			threads: { type: 'string' },
			requests: { type: 'string', default: '100' },
			json: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
		allowNegative: true,
	});
	if (values.help) {
		console.log(usage);
		return 0;
	}
	const shared = process.env['NEARGLOT_SHARED'] ?? join(root, '../shared');
	const folder = join(shared, 'data/eval');
	let failed = 0;
	if (values.quality) {
		failed = existsSync(folder)
			? await runQuality([
					'translate',
					...['--folder', folder, '--sets', values.sets, '--languages', values.languages],
					...['--limit', values.limit],
					...(values.threads === undefined ? [] : ['--threads', values.threads]),
				])
			: 1;
		if (failed) console.error(`No evaluation sets at ${folder}; set NEARGLOT_SHARED.`);
		console.log('');
	}
	if (!values.speed) return failed;
	const [load = 0] = loadavg();
	console.log(
		`${cpus()[0]?.model ?? ''}, ${cpus().length} cores, load ${load.toFixed(1)} before\n`,
	);
	console.log('en → de                    words  words/s  p50 ms  p95 ms');
	const rows = await translateSpeed(
		{
			sentences: await sentencesOf(folder),
			from: 'en',
			to: 'de',
			requests: Number(values.requests),
		},
		(row) => {
			const ms = (value?: number): string =>
				(value === undefined ? '-' : value.toFixed(1)).padStart(6);
			console.log(
				`${row.what.padEnd(25)} ${String(row.words).padStart(6)}  ${row.wordsPerSecond.toFixed(0).padStart(7)}  ${ms(row.p50Ms)}  ${ms(row.p95Ms)}`,
			);
		},
	);
	if (values.json) await writeFile(values.json, `${JSON.stringify(rows, null, '\t')}\n`);
	return failed;
}

/** Everyday English sentences of at most 100 characters; made-up ones where there are no sets. */
async function sentencesOf(folder: string): Promise<string[]> {
	const found = new Set<string>();
	for (const language of ['de', 'fr', 'es']) {
		const path = join(folder, `tatoeba1000.en-${language}.tsv`);
		const text = existsSync(path) ? await readFile(path, 'utf8') : '';
		for (const line of text.split('\n')) {
			const english = line.split('\t').at(-2)?.trim() ?? '';
			if (english !== '' && english.length <= 100) found.add(english);
		}
	}
	const things = ['file', 'folder', 'server', 'project', 'setting', 'window', 'message', 'key'];
	const ends = ['could not be opened', 'was not found', 'is not ready yet', 'has been removed'];
	for (let index = 0; found.size < 2600; index++)
		found.add(`The ${things[index % 8]} number ${index} ${ends[Math.floor(index / 8) % 4]}.`);
	return [...found];
}

if (process.argv[1] === fileURLToPath(import.meta.url))
	process.exitCode = await runTranslate(process.argv.slice(2));
