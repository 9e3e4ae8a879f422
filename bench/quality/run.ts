/** `bench -- quality [translate|confidence|chat|speech] [OPTIONS]`: quality of the built-in models, or of any folder. */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chatQuality } from './chatQuality.ts';
import { speechQuality } from './speechQuality.ts';
import { printConfidence, translationConfidence } from './translationConfidence.ts';
import { translationQuality } from './translationQuality.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const usage = `Usage: npm run bench -- quality [translate|confidence|chat|speech] [OPTIONS]

  --model DIR        model folder (default: the built-in one)
  --limit N          prompts, sentences or recordings per set (default: all)
  --threads N        default: physical cores
  --samples          print translations, or the answers that were wrong
  --json FILE        also write the rows to FILE
translate:
  --folder DIR       folder of NAME.en-XX.tsv files, repeatable (default: starter/work/translate/data, ../shared/data/eval)
  --sets A,B         default heldout,labels,tatoeba1000,flores-dev
  --languages A,B    default de,fr,es
  --raw              without the masking of code and placeholders
confidence: how well a model's own probabilities tell how good its translations are (server/translate/qualityEstimate.ts)
  --folder, --sets, --languages as for translate (default: tatoeba1000,flores-dev; --limit 200)
chat:
  --prompts FILE     lines of {set, messages, tools, answer} (default: starter/work/chat/prompts.jsonl, see starter/chat/prompts.py)
  --dialogues N      chats of 12 questions, whose answers are compared with those to the questions alone (default: 50)
  --turns N|all      earlier turns the model is given (default: what its card says)
speech:
  --recordings PATH  PATH.i16 and PATH.jsonl of starter/speech/synth.py --heldout (default: starter/work/speech/heldout)
  --audio DIR        folder with fsdd/ and clips of people (default: ../shared/data/audio)`;

/** Built-in models whose kind of figures is called otherwise. */
const builtIn: Readonly<Record<string, string>> = { confidence: 'translate' };

/** Runs the quality bench; returns the exit code. */
export async function runQuality(args: readonly string[]): Promise<number> {
	const { values, positionals } = parseArgs({
		args: [...args],
		allowPositionals: true,
		options: {
			model: { type: 'string' },
			folder: { type: 'string', multiple: true },
			prompts: { type: 'string', default: join(root, 'starter/work/chat/prompts.jsonl') },
			dialogues: { type: 'string', default: '50' },
			turns: { type: 'string' },
			recordings: { type: 'string', default: join(root, 'starter/work/speech/heldout') },
			audio: { type: 'string' },
			sets: { type: 'string' },
			languages: { type: 'string', default: 'de,fr,es' },
			limit: { type: 'string' },
			threads: { type: 'string' },
			raw: { type: 'boolean', default: false },
			samples: { type: 'boolean', default: false },
			json: { type: 'string' },
			help: { type: 'boolean', default: false },
		},
	});
	const [kind = 'translate'] = positionals;
	if (values.help || !['translate', 'confidence', 'chat', 'speech'].includes(kind)) {
		console.log(usage);
		return values.help ? 0 : 2;
	}
	const common = {
		model: values.model ?? join(root, `starter/models/starter-${builtIn[kind] ?? kind}`),
		limit: Number(values.limit ?? (kind === 'confidence' ? 200 : 0)),
		...(values.threads === undefined ? {} : { threads: Number(values.threads) }),
	};
	const shared = process.env['NEARGLOT_SHARED'] ?? join(root, '../shared');
	let rows: readonly unknown[];
	if (kind === 'chat') {
		if (!existsSync(values.prompts)) {
			console.error(
				`There are no prompts at ${values.prompts}. Make them with starter/chat/prompts.py.`,
			);
			return 1;
		}
		console.log('set            n     right  whole  refused  as alone  tokens/s');
		const turns = values.turns === 'all' ? Number.POSITIVE_INFINITY : values.turns;
		const chat = {
			...common,
			prompts: values.prompts,
			dialogues: Number(values.dialogues),
			...(turns === undefined ? {} : { maxHistoryTurns: Number(turns) }),
		};
		rows = await chatQuality(chat, (row) => {
			const alone = row.asAlone === undefined ? '-' : row.asAlone.toFixed(3);
			console.log(
				`${row.set.padEnd(14)} ${String(row.prompts).padEnd(5)} ${row.right.toFixed(3)}  ${row.whole.toFixed(3)}  ${row.refused.toFixed(3)}    ${alone.padEnd(9)} ${row.tokensPerSecond.toFixed(0)}`,
			);
			if (values.samples)
				for (const { prompt, output, answer } of row.wrong)
					console.log(`    ${prompt}\n    → ${output}\n    = ${answer}\n`);
		});
	} else if (kind === 'speech') {
		console.log('set                       n     words   WER %   × real time');
		rows = await speechQuality(
			{
				...common,
				recordings: values.recordings,
				audio: values.audio ?? join(shared, 'data/audio'),
			},
			(row) => {
				console.log(
					`${row.set.padEnd(25)} ${String(row.recordings).padEnd(5)} ${String(row.words).padEnd(7)} ${(100 * row.wordErrorRate).toFixed(1).padStart(5)}   ${row.timesRealTime.toFixed(0)}`,
				);
				if (values.samples)
					for (const { heard, expected } of row.wrong)
						console.log(`    ${expected}\n    → ${heard}\n`);
			},
		);
	} else {
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
		const sets = (name: string) => (values.sets ?? name).split(',');
		const languages = values.languages.split(',');
		if (kind === 'confidence') {
			const found = await translationConfidence({
				...{ ...common, folders, languages },
				sets: sets('tatoeba1000,flores-dev'),
			});
			if (found.sentences === 0) console.error(`No sentences in ${folders.join(', ')}.`);
			else printConfidence(found);
			rows = found.sentences === 0 ? [] : [found];
			if (values.json) await writeFile(values.json, `${JSON.stringify(rows, null, '\t')}\n`);
			return rows.length > 0 ? 0 : 1;
		}
		console.log('set           dir    n     BLEU  chrF  exact  kept   words/s');
		rows = await translationQuality(
			{
				...common,
				folders,
				sets: sets('heldout,labels,tatoeba1000,flores-dev'),
				languages,
				raw: values.raw,
			},
			(row) => {
				const kept = row.placeholdersKept === undefined ? '-' : row.placeholdersKept.toFixed(3);
				console.log(
					`${row.set.padEnd(13)} ${row.direction}  ${String(row.sentences).padEnd(5)} ${row.bleu.toFixed(1).padStart(4)}  ${row.chrf.toFixed(1)}  ${row.accepted.toFixed(3)}  ${kept.padEnd(6)} ${row.wordsPerSecond.toFixed(0)}`,
				);
				if (values.samples)
					for (const { source, output, reference } of row.samples)
						console.log(`    ${source}\n    → ${output}\n    = ${reference}\n`);
			},
		);
	}
	if (values.json) await writeFile(values.json, `${JSON.stringify(rows, null, '\t')}\n`);
	return rows.length > 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
	process.exitCode = await runQuality(process.argv.slice(2));
