/** A translator of Marian: a student of Firefox Translations as its registry publishes it, or the teacher of one. */

import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { limitsOf } from '../../../hub/modelData/fileLimits.ts';
import { modelFile } from '../../../hub/modelFile.ts';
import { AppError } from '../../../protocol/index.ts';
import { readLexicalShortlist } from '../../seq2seq/lexicalShortlist.ts';
import { shortlistFile } from '../../seq2seq/lexicon.ts';
import { readMarianSettings } from '../architectures/marianSettings.ts';
import { fileBytes, memoryBytes } from './bytes.ts';
import { sourceFault, sourceLimits } from './limits.ts';
import { openMarianBinary } from './marianBinary.ts';
import { marianWeights } from './marianWeights.ts';
import { openNpz } from './npz.ts';
import type { ByteSource, TensorSource } from './tensorSource.ts';

/** Names of files; each may end with `.gz`. */
export interface StudentFiles {
	/** `model.ende.intgemm.alphas.bin`, or `model.npz`. */
	readonly model: string;
	/** `lex.50.50.ende.s2t.bin`. */
	readonly shortlist: string | undefined;
	/** SentencePiece models: `vocab.ende.spm` for both, or `srcvocab.….spm` and `trgvocab.….spm`. */
	readonly sourceVocabulary: string;
	readonly targetVocabulary: string;
	/** Ids of pieces, of source and target, where they are not their places: `opus.vocab.yml`. */
	readonly ids?: readonly [string, string];
}

export interface Student extends StudentFiles {
	readonly source: TensorSource;
	/** Content of the files. */
	readonly shortlistBytes: Uint8Array | undefined;
	readonly vocabularies: { readonly source: Uint8Array; readonly target: Uint8Array };
	readonly idBytes: readonly [Uint8Array, Uint8Array] | undefined;
	/** Codes of the languages as the files' names have them. */
	readonly languages: readonly [string, string] | undefined;
}

/** The files of a student among others, by their names; `undefined` when there is none. */
export function studentFiles(names: readonly string[]): StudentFiles | undefined {
	const find = (pattern: RegExp) =>
		// What is unpacked already comes first.
		names
			.filter((name) => pattern.test(name.replace(/\.gz$/, '')))
			.sort((a, b) => Number(a.endsWith('.gz')) - Number(b.endsWith('.gz')) || (a < b ? -1 : 1))[0];
	const model = find(/^model\..*\.bin$/) ?? find(/^(final\.)?model\.npz(\.best-.*\.npz)?$/);
	const both = find(/^vocab(\..*)?\.spm$/);
	const sourceVocabulary = find(/^srcvocab(\..*)?\.spm$/) ?? both;
	const targetVocabulary = find(/^trgvocab(\..*)?\.spm$/) ?? both;
	if (model === undefined || sourceVocabulary === undefined || targetVocabulary === undefined)
		return undefined;
	return { model, shortlist: find(/^lex\..*\.bin$/), sourceVocabulary, targetVocabulary };
}

/** The files that the decoder's settings (`config.yml`) name; `undefined` where they name none. */
export function filesOfSettings(text: string, names: readonly string[]): StudentFiles | undefined {
	const settings = readMarianSettings(text);
	const files = (key: string): string[] =>
		(settings.get(key) ?? '')
			.replace(/^\[(.*)\]$/, '$1')
			.split(',')
			.map((path) => basename(path.trim().replace(/^(["'])(.*)\1$/, '$2')))
			.flatMap((name) => names.find((one) => one === name || one === `${name}.gz`) ?? []);
	const [model] = files('models');
	const [sourceVocabulary, targetVocabulary = sourceVocabulary] = files('vocabs');
	if (model === undefined || sourceVocabulary === undefined || targetVocabulary === undefined)
		return undefined;
	const shortlist = files('shortlist')[0];
	if (!/\.ya?ml$/.test(sourceVocabulary))
		return { model, sourceVocabulary, targetVocabulary, shortlist };
	// As OPUS-MT publishes: pieces in files of their own, with ids that both may share.
	const [source, target] = ['source.spm', 'target.spm'];
	if (!names.includes(source as string) || !names.includes(target as string)) return undefined;
	return {
		model,
		shortlist,
		sourceVocabulary: source as string,
		targetVocabulary: target as string,
		ids: [sourceVocabulary, targetVocabulary],
	};
}

/** Which files of a folder are a student's: those that its settings name, else those of the usual names. */
async function filesIn(folder: string): Promise<StudentFiles | undefined> {
	const names = await readdir(folder);
	for (const name of names.filter((one) => /\.ya?ml$/.test(one)).sort()) {
		const bytes = await readWhole(folder, name, sourceLimits.maxTextBytes);
		const files = filesOfSettings(new TextDecoder().decode(bytes), names);
		if (files !== undefined) return files;
	}
	return studentFiles(names);
}

/** Whether a folder holds a student, or a part of one: then what is missing is said. */
export async function holdsStudent(folder: string): Promise<boolean> {
	const names = await readdir(folder);
	const has = (ending: RegExp) => names.some((name) => ending.test(name));
	if (has(/\.(gguf|safetensors)$/i) || names.includes('config.json')) return false;
	return has(/\.(bin|npz)(\.gz)?$/) && has(/\.spm(\.gz)?$/);
}

/** @throws AppError `unsupported_model` where a file is missing or not one of its kind */
export async function openStudent(folder: string, signal?: AbortSignal): Promise<Student> {
	const files = await filesIn(folder);
	if (files === undefined)
		throw new AppError(
			'unsupported_model',
			`The folder ${basename(folder)} has no whole translator of Marian: model.….bin or model.npz with vocab.….spm, with srcvocab.….spm and trgvocab.….spm, or with what a decoder.yml names.`,
		);
	const { shortlist, sourceVocabulary, targetVocabulary, ids } = files;
	const small = (name: string) => readWhole(folder, name, limitsOf(shortlistFile).maxBytes, signal);
	const shortlistBytes = shortlist === undefined ? undefined : await small(shortlist);
	// Refused here rather than when the model is loaded.
	if (shortlistBytes !== undefined) readLexicalShortlist(shortlistBytes, shortlist ?? '');
	const source = await small(sourceVocabulary);
	const target = targetVocabulary === sourceVocabulary ? source : await small(targetVocabulary);
	const idBytes =
		ids === undefined ? undefined : ([await small(ids[0]), await small(ids[1])] as const);
	const [, from, to] = /^model\.([a-z]{2})([a-z]{2})\./.exec(files.model) ?? [];
	const bytes = await opened(folder, files.model, signal);
	try {
		return {
			...files,
			shortlistBytes,
			vocabularies: { source, target },
			idBytes,
			languages: from === undefined || to === undefined ? undefined : [from, to],
			source: await marianWeights(await openWeights(bytes, signal), signal),
		};
	} catch (error) {
		await bytes[Symbol.asyncDispose]();
		throw error;
	}
}

const openWeights = (bytes: ByteSource, signal?: AbortSignal) =>
	/\.npz(\.gz)?$/.test(bytes.name ?? '') ? openNpz(bytes, signal) : openMarianBinary(bytes, signal);

/** A file, or what is packed in it. */
async function opened(folder: string, name: string, signal?: AbortSignal): Promise<ByteSource> {
	if (!name.endsWith('.gz')) return fileBytes(await modelFile(folder, name));
	const bytes = await readWhole(folder, name, sourceLimits.maxWholeBytes, signal);
	return memoryBytes(bytes, name);
}

const unpack = promisify(gunzip);

/** All of a file, unpacked. @param most bytes of it, unpacked */
async function readWhole(
	folder: string,
	name: string,
	most: number,
	signal?: AbortSignal,
): Promise<Uint8Array> {
	await using file = await fileBytes(await modelFile(folder, name));
	if (file.size > most) throw sourceFault(name, `has ${file.size} bytes; at most ${most} are read`);
	const bytes = await file.read(0, file.size, signal);
	if (!name.endsWith('.gz')) return bytes;
	// Waited for here: nobody else would hear of a fault while the file is closed.
	return await unpack(bytes, { maxOutputLength: most }).catch((error: NodeJS.ErrnoException) => {
		throw sourceFault(
			name,
			error.code === 'ERR_BUFFER_TOO_LARGE'
				? `has more than ${most} bytes when it is unpacked`
				: 'cannot be unpacked',
			error,
		);
	});
}
