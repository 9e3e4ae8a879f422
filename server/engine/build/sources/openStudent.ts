/** A student of Firefox Translations: weights, shortlist and vocabularies, as its registry publishes them. */

import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { modelFile } from '../../../hub/modelFile.ts';
import { AppError } from '../../../protocol/index.ts';
import { fileBytes } from './bytes.ts';
import { type LexicalShortlist, readLexicalShortlist } from './lexicalShortlist.ts';
import { openMarianBinary } from './marianBinary.ts';
import type { TensorSource } from './tensorSource.ts';

export interface StudentFiles {
	/** `model.ende.intgemm.alphas.bin`. */
	readonly model: string;
	/** `lex.50.50.ende.s2t.bin`. */
	readonly shortlist: string | undefined;
	/** SentencePiece models: `vocab.ende.spm` for both, or `srcvocab.….spm` and `trgvocab.….spm`. */
	readonly sourceVocabulary: string;
	readonly targetVocabulary: string;
}

export interface Student extends StudentFiles {
	readonly source: TensorSource;
	readonly lexicalShortlist: LexicalShortlist | undefined;
}

/** The files of a student among others, by their names; `undefined` when there is none. */
export function studentFiles(names: readonly string[]): StudentFiles | undefined {
	const find = (pattern: RegExp) => names.filter((name) => pattern.test(name)).sort()[0];
	const model = find(/^model\..*\.bin$/);
	const both = find(/^vocab\..*\.spm$/);
	const sourceVocabulary = find(/^srcvocab\..*\.spm$/) ?? both;
	const targetVocabulary = find(/^trgvocab\..*\.spm$/) ?? both;
	if (model === undefined || sourceVocabulary === undefined || targetVocabulary === undefined)
		return undefined;
	return { model, shortlist: find(/^lex\..*\.bin$/), sourceVocabulary, targetVocabulary };
}

/** @throws AppError `unsupported_model` where a file is missing or not one of its kind */
export async function openStudent(folder: string, signal?: AbortSignal): Promise<Student> {
	const files = studentFiles(await readdir(folder));
	if (files === undefined)
		throw new AppError(
			'unsupported_model',
			`The folder ${basename(folder)} has no student of Firefox Translations: model.….bin with vocab.….spm.`,
		);
	const { shortlist } = files;
	let lexicalShortlist: LexicalShortlist | undefined;
	if (shortlist !== undefined) {
		await using bytes = await fileBytes(await modelFile(folder, shortlist));
		lexicalShortlist = await readLexicalShortlist(bytes, signal);
	}
	const bytes = await fileBytes(await modelFile(folder, files.model));
	try {
		return { ...files, lexicalShortlist, source: await openMarianBinary(bytes, signal) };
	} catch (error) {
		await bytes[Symbol.asyncDispose]();
		throw error;
	}
}
