/** Opens the graphs of an encoder-decoder: merged (`use_cache_branch`) or two decoders. */

import { join } from 'node:path';
import { AppError } from '../../protocol/index.ts';
import type { ModelDescription, ModelVariant } from '../api.ts';
import { genaiNames } from '../folder/genaiNames.ts';
import { readGraphSummary } from '../folder/graphSummary.ts';
import { readJsonFile } from '../folder/json.ts';
import { prepareGraph } from '../onnx/prepare.ts';
import { shortlistInput } from '../onnx/shortlistHead.ts';
import type { Runtime, Session, SessionOptions } from '../runtime/runtime.ts';
import { readSeq2SeqGraphs } from './decoderGraphs.ts';
import { createDecoderRun } from './decoderRun.ts';
import { encodeBatch, encoderInputs } from './encodeBatch.ts';
import type { EncoderDecoder } from './encoderDecoder.ts';
import { readHeadWeights, sameHead } from './headWeights.ts';
import { frequentWords, readLexicon } from './lexicon.ts';

export interface OpenEncoderDecoderOptions {
	readonly description: ModelDescription;
	readonly variant: ModelVariant;
	readonly runtime: Runtime;
	readonly session: SessionOptions;
	/** Use the table of words beside the model; default: yes. */
	readonly shortlist?: boolean;
}

/** @throws AppError `unsupported_model` naming the file and the fault */
export async function openEncoderDecoder(
	options: OpenEncoderDecoderOptions,
): Promise<EncoderDecoder> {
	const { description, variant, runtime } = options;
	const { files } = variant;
	const first = files['decoder-merged'] ?? files.decoder;
	const later = files['decoder-merged'] ?? files['decoder-with-past'];
	if (files.encoder === undefined || first === undefined || later === undefined) {
		throw new AppError(
			'unsupported_model',
			`The folder ${description.folder} lacks a graph in ${variant.precision}: an encoder and either a merged decoder or both decoder and decoder-with-past are needed.`,
		);
	}
	const sessions: Session[] = [];
	try {
		const open = async (file: string): Promise<Session> => {
			const session = await runtime.open(join(description.folder, file), options.session);
			sessions.push(session);
			return session;
		};
		const encoder = await open(files.encoder);
		const lexicon =
			options.shortlist === false
				? undefined
				: await readLexicon(description.folder, description.vocabularySize);
		const openDecoder = async (file: string): Promise<Session> => {
			const path = join(description.folder, file);
			const ways = [{ attentions: true }, ...(lexicon === undefined ? [] : [{}])];
			for (const way of ways) {
				const shortlist = lexicon !== undefined;
				const ready = await prepareGraph(path, { ...way, ...(shortlist ? { shortlist } : {}) });
				if ('refused' in ready) continue;
				try {
					const session = await runtime.open(ready.path, options.session);
					sessions.push(session);
					return session;
				} catch {
					// Without the changes everything but alignment and speed is the same.
				}
			}
			return open(file);
		};
		const firstSession = await openDecoder(first);
		const laterSession = later === first ? firstSession : await openDecoder(later);
		const names =
			description.layout === 'genai'
				? genaiNames(await readJsonFile(description.folder, 'genai_config.json'))
				: undefined;
		const graphs = readSeq2SeqGraphs(
			firstSession,
			laterSession,
			names === undefined ? undefined : { names, encoder },
		);
		const width = graphs.logits.dims[graphs.logits.dims.length - 1] ?? -1;
		const vocabularySize = width > 0 ? width : description.vocabularySize;
		const batchInvariant = await isInvariant(description.folder, [files.encoder, first, later]);
		const canCut = [firstSession, laterSession].every(({ inputs }) => inputs.has(shortlistInput));
		const readHead = (file: string) => readHeadWeights(join(description.folder, file));
		const head = lexicon !== undefined && canCut ? await readHead(first) : undefined;
		const other = head === undefined || later === first ? head : await readHead(later);
		const isShared = head !== undefined && other !== undefined && sameHead(head, other);
		return {
			...(lexicon !== undefined && isShared
				? { shortlist: { lexicon, head, frequent: frequentWords(lexicon) } }
				: {}),
			encoderInputs: encoderInputs(encoder, names),
			vocabularySize,
			crossBytesPerPosition: graphs.cross.reduce(
				(sum, { heads, headSize, type }) => sum + heads * headSize * (type === 'float16' ? 2 : 4),
				0,
			),
			attentionLayers: [...graphs.attentions.keys()].sort((a, b) => a - b),
			batchInvariant,
			lastLogitsOnly: graphs.lastOnly,
			encode: (inputs, signal) => encodeBatch({ encoder, names, graphs }, inputs, signal),
			start: (encoded, start = {}) =>
				createDecoderRun({
					graphs,
					encoded,
					rowsPerItem: start.rowsPerItem ?? 1,
					attentions: start.attentions === true && graphs.attentions.size > 0,
					vocabularySize,
					columns: start.columns,
				}),
			close: () => {
				for (const session of sessions) session.close();
			},
		};
	} catch (error) {
		for (const session of sessions) session.close();
		throw error;
	}
}

async function isInvariant(folder: string, files: readonly string[]): Promise<boolean> {
	for (const file of new Set(files)) {
		const summary = await readGraphSummary(join(folder, file));
		if (summary.ops.has('DynamicQuantizeLinear')) return false;
	}
	return true;
}
