/** What the folder of a student or teacher has beside its graphs: settings, vocabularies, shortlist. */

import { basename } from 'node:path';
import { checkFileLimit, tokenizerLimits } from '../../hub/modelData/fileLimits.ts';
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
	const { source, vocabularies, shortlistBytes, ids, idBytes } = student;
	const config = marianConfig(source);
	const isShared =
		ids === undefined ? vocabularies.source === vocabularies.target : ids[0] === ids[1];
	const [ownRows, targetRows] = [config['vocab_size'], config['decoder_vocab_size']];
	const own = checked(
		idBytes === undefined ? placesOf(vocabularies.source) : idsOf(idBytes[0]),
		ids?.[0] ?? student.sourceVocabulary,
		ownRows,
	);
	const target = isShared
		? own
		: checked(
				idBytes === undefined ? placesOf(vocabularies.target) : idsOf(idBytes[1]),
				ids?.[1] ?? student.targetVocabulary,
				targetRows,
			);
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

/** Pieces with their places. */
function placesOf(bytes: Uint8Array): Map<string, number> {
	const { pieces } = readSentencePieceFile(bytes);
	const places = new Map<string, number>();
	for (const [id, { text }] of pieces.entries()) if (!places.has(text)) places.set(text, id);
	return places;
}

/** Pieces with their ids, a pair in each line: `"▁the": 5`. */
function idsOf(bytes: Uint8Array): Map<string, number> {
	const ids = new Map<string, number>();
	for (const line of new TextDecoder().decode(bytes).split('\n')) {
		// By its last colon: a pattern for all of it would take long with lines of blanks.
		const at = line.lastIndexOf(':');
		const id = line.slice(at + 1).trim();
		if (at > 0 && /^\d{1,9}$/.test(id)) ids.set(unquoted(line.slice(0, at).trim()), Number(id));
	}
	return ids;
}

/** A key of YAML: plain, or in quotes of either kind. */
function unquoted(text: string): string {
	if (/^'.*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'");
	if (!/^".*"$/.test(text)) return text;
	return text
		.slice(1, -1)
		.replace(
			/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U000[\da-fA-F]{5}|U0010[\da-fA-F]{4}|.)/g,
			(_, code: string) =>
				code.length > 1
					? String.fromCodePoint(Number.parseInt(code.slice(1), 16))
					: (escapes.get(code) ?? code),
		);
}

const escapes: ReadonlyMap<string, string> = new Map([
	['n', '\n'],
	['t', '\t'],
	['r', '\r'],
	['0', '\0'],
	['_', '\u00a0'],
	['N', '\u0085'],
	['L', '\u2028'],
	['P', '\u2029'],
]);

/** The vocabulary as vocab.json has it. @throws AppError `unsupported_model` where it is not that of the weights */
function checked(
	vocabulary: ReadonlyMap<string, number>,
	name: string,
	rows: unknown,
): Record<string, number> {
	const fault = (what: string) =>
		new AppError(
			'unsupported_model',
			`The vocabulary ${basename(name)} ${what}. Take another build of the model.`,
		);
	const ids: Record<string, number> = Object.create(null);
	let count = 0;
	for (const [piece, id] of vocabulary) {
		ids[piece] = id;
		count = Math.max(count, id + 1);
	}
	checkFileLimit(basename(name), 'tokens', vocabulary.size, tokenizerLimits.maxTokens);
	if (count > Number(rows))
		throw fault(`has ${count} pieces where the weights have ${String(rows)}`);
	for (const { id, piece } of [end, unknown])
		if (vocabulary.get(piece) !== id) throw fault(`does not have ${piece} as its piece ${id}`);
	return ids;
}
