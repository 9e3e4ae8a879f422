/** What the folder of a student has beside its graphs: settings, vocabularies, shortlist. */

import { basename } from 'node:path';
import { AppError } from '../../protocol/index.ts';
import type { JsonRecord } from '../modelFiles/json.ts';
import { shortlistFile } from '../seq2seq/lexicon.ts';
import { readSentencePieceFile } from '../tokenizer/sentencePieceFile.ts';
import { marianConfig } from './architectures/marianSettings.ts';
import type { Student } from './sources/openStudent.ts';

/** Ids of Marian's vocabularies. */
const end = { id: 0, piece: '</s>' };
const unknown = { id: 1, piece: '<unk>' };

export interface StudentSettings {
	readonly config: JsonRecord;
	readonly files: Map<string, string | Uint8Array>;
}

/**
 * @param languages codes of source and target, where they are known otherwise than by the files' names
 * @throws AppError `unsupported_model` where vocabularies and weights do not go together
 */
export function studentSettings(
	student: Student,
	languages: readonly [string, string] | undefined = student.languages,
): StudentSettings {
	const { source, vocabularies, shortlistBytes } = student;
	const config = marianConfig(source);
	const isShared = vocabularies.source === vocabularies.target;
	const own = vocabularyOf(vocabularies.source, student.sourceVocabulary, config['vocab_size']);
	const target = isShared
		? own
		: vocabularyOf(vocabularies.target, student.targetVocabulary, config['decoder_vocab_size']);
	const json = (value: unknown) => `${JSON.stringify(value, undefined, '\t')}\n`;
	const files = new Map<string, string | Uint8Array>([
		['source.spm', vocabularies.source],
		['target.spm', vocabularies.target],
		['vocab.json', JSON.stringify(own)],
		...(isShared ? [] : [['target_vocab.json', JSON.stringify(target)] as const]),
		[
			'tokenizer_config.json',
			json({
				tokenizer_class: 'MarianTokenizer',
				eos_token: end.piece,
				unk_token: unknown.piece,
				separate_vocabs: !isShared,
				...(languages === undefined
					? {}
					: { source_lang: languages[0], target_lang: languages[1] }),
			}),
		],
		[
			'generation_config.json',
			json({
				decoder_start_token_id: end.id,
				eos_token_id: end.id,
				pad_token_id: end.id,
				suppress_tokens: [unknown.id],
				num_beams: 1,
				// What a student was taught alignment with: the first head of its last layer.
				alignment_heads: [[Number(config['decoder_layers']) - 1, 0]],
			}),
		],
		...(shortlistBytes === undefined ? [] : [[shortlistFile, shortlistBytes] as const]),
	]);
	return { config, files };
}

/** Pieces with their ids. */
function vocabularyOf(bytes: Uint8Array, name: string, rows: unknown): Record<string, number> {
	const { pieces } = readSentencePieceFile(bytes);
	const fault = (what: string) =>
		new AppError(
			'unsupported_model',
			`The vocabulary ${basename(name)} ${what}. Take another build of the model.`,
		);
	if (pieces.length > Number(rows))
		throw fault(`has ${pieces.length} pieces where the weights have ${String(rows)}`);
	for (const { id, piece } of [end, unknown])
		if (pieces[id]?.text !== piece) throw fault(`does not have ${piece} as its piece ${id}`);
	const ids: Record<string, number> = Object.create(null);
	for (const [id, { text }] of pieces.entries()) ids[text] ??= id;
	return ids;
}
