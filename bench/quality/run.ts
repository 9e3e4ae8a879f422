/**
 * `bench -- quality`: translation quality of the built-in model, or of any folder.
 * Options: --model DIR --folder DIR (repeatable) --sets a,b --languages de,fr,es --limit N --raw --json FILE --samples
 */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { translationQuality } from './translationQuality.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs the quality bench; returns the exit code. */
export async function runQuality(args: readonly string[]): Promise<number> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			model: { type: 'string', default: join(root, 'starter/models/starter-translate') },
			folder: { type: 'string', multiple: true },
			sets: { type: 'string', default: 'heldout,tatoeba1000,flores-dev' },
			languages: { type: 'string', default: 'de,fr,es' },
			limit: { type: 'string', default: '0' },
			threads: { type: 'string', default: '' },
			raw: { type: 'boolean', default: false },
			samples: { type: 'boolean', default: false },
			json: { type: 'string' },
		},
	});
	const shared = process.env['NEARGLOT_SHARED'] ?? join(root, '../shared');
	const folders = values.folder ?? [
		join(root, 'starter/work/translate/data'),
		join(shared, 'data/eval'),
	];
	if (!folders.some((folder) => existsSync(folder))) {
		console.error(
			`No evaluation sets: none of ${folders.join(', ')} exists. Name a folder with --folder.`,
		);
		return 1;
	}
	console.log('set           dir    n     BLEU  chrF  kept   words/s');
	const rows = await translationQuality(
		{
			model: values.model,
			folders,
			sets: values.sets.split(','),
			languages: values.languages.split(','),
			limit: Number(values.limit),
			raw: values.raw,
			...(values.threads === '' ? {} : { threads: Number(values.threads) }),
		},
		(row) => {
			const kept = row.placeholdersKept === undefined ? '-' : row.placeholdersKept.toFixed(3);
			console.log(
				`${row.set.padEnd(13)} ${row.direction}  ${String(row.sentences).padEnd(5)} ${row.bleu.toFixed(1).padStart(4)}  ${row.chrf.toFixed(1)}  ${kept.padEnd(6)} ${row.wordsPerSecond.toFixed(0)}`,
			);
			if (values.samples)
				for (const { source, output, reference } of row.samples)
					console.log(`    ${source}\n    → ${output}\n    = ${reference}\n`);
		},
	);
	if (values.json) await writeFile(values.json, `${JSON.stringify(rows, null, '\t')}\n`);
	return rows.length > 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
	process.exitCode = await runQuality(process.argv.slice(2));
