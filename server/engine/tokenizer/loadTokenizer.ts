/** Finds and loads whatever tokenizer a model folder has. */

import { AppError } from '../../protocol/index.ts';
import {
	asRecord,
	asString,
	readBinaryFile,
	readJsonFile,
	readTextFile,
} from '../modelFiles/json.ts';
import { sentencePieceTokenizer } from './sentencePiece.ts';
import { readSentencePieceFile } from './sentencePieceFile.ts';
import { looksLikeTiktoken, readTiktoken } from './tiktoken.ts';
import { readTokenizer, type Tokenizer } from './tokenizer.ts';

const tiktokenFiles = [
	['qwen.tiktoken', 'qwen'],
	['llama3.tiktoken', 'llama3'],
] as const;

/**
 * tokenizer.json first, then a SentencePiece or tiktoken file.
 * @throws AppError `unsupported_model` when there is none or it cannot be read
 */
export async function loadTokenizer(folder: string): Promise<Tokenizer> {
	return readOrRefuse(() => readAny(folder));
}

/**
 * What reads a tokenizer takes its parts for what they should be; where they are something else, that is said of the
 * file and not of this program.
 * @throws AppError `unsupported_model`, or what the work itself throws of that kind
 */
export async function readOrRefuse<Result>(work: () => Promise<Result>): Promise<Result> {
	try {
		return await work();
	} catch (error) {
		if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
		throw new AppError(
			'unsupported_model',
			`The tokenizer of the model is broken (${error.message.slice(0, 200)}); download the model again.`,
			{ cause: error },
		);
	}
}

async function readAny(folder: string): Promise<Tokenizer> {
	const config = (await readJsonFile(folder, 'tokenizer_config.json')) ?? {};
	const json = await readJsonFile(folder, 'tokenizer.json');
	if (json !== undefined) return readTokenizer(json, config);
	for (const [name, family] of tiktokenFiles) {
		const text = await readTextFile(folder, name);
		if (text !== undefined) return readTiktoken(text, family);
	}
	for (const name of ['tokenizer.model', 'sentencepiece.bpe.model', 'spiece.model']) {
		const bytes = await readBinaryFile(folder, name);
		if (bytes === undefined) continue;
		if (looksLikeTiktoken(bytes.subarray(0, 64).toString('latin1'))) {
			return readTiktoken(bytes.toString('utf8'), 'llama3');
		}
		const bos = asString(config.bos_token) ?? asString(asRecord(config.bos_token)?.content);
		return sentencePieceTokenizer(readSentencePieceFile(bytes), bos);
	}
	throw new AppError(
		'unsupported_model',
		'The model has no tokenizer: expected tokenizer.json, tokenizer.model, source.spm with vocab.json, or a .tiktoken file.',
	);
}
