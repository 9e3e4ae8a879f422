/** Opens the graphs of an encoder-decoder: merged (`use_cache_branch`) or two decoders. */

import { basename } from 'node:path';
import { modelFile } from '../../hub/modelFile.ts';
import { AppError } from '../../protocol/index.ts';
import type { ModelDescription, ModelVariant } from '../api.ts';
import { genaiNames } from '../folder/genaiNames.ts';
import { readGraphSummary } from '../folder/graphSummary.ts';
import { readJsonFile } from '../folder/json.ts';
import { sharesScales } from '../folder/precision.ts';
import { type Preparation, prepareGraph } from '../onnx/prepare.ts';
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
	/** Every input is encoded by itself, so that a scale per run of the encoder is one per input. */
	readonly encodesAlone?: boolean;
	/** Told what keeps texts or windows from being computed together. */
	readonly onNotice?: (notice: string) => void;
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
			const path = await modelFile(description.folder, file);
			const session = await runtime.open(path, options.session);
			sessions.push(session);
			return session;
		};
		const batched = options.encodesAlone === true ? [first, later] : [files.encoder, first, later];
		const dynamic = await dynamicFiles(description.folder, batched);
		const openRows = new Set<string>();
		const refusals = new Map<string, string>();
		/** Opens the graph with the first of the changes that can be made. */
		const openPrepared = async (file: string, ways: readonly Preparation[]): Promise<Session> => {
			const path = await modelFile(description.folder, file);
			const inRows = ways.map((way) => ({ ...way, rows: true }));
			for (const way of dynamic.has(file) ? [...inRows, { rows: true }, ...ways] : ways) {
				const ready = await prepareGraph(path, way);
				if ('refused' in ready) {
					if (way.rows === true) refusals.set(file, ready.refused);
					continue;
				}
				try {
					const session = await runtime.open(ready.path, options.session);
					sessions.push(session);
					if (way.rows === true) openRows.add(file);
					return session;
				} catch {
					// Without the changes everything but alignment and speed is the same.
				}
			}
			return open(file);
		};
		const encoder = await openPrepared(files.encoder, []);
		const lexicon =
			options.shortlist === false
				? undefined
				: await readLexicon(description.folder, description.vocabularySize);
		const ways: readonly Preparation[] =
			lexicon === undefined
				? [{ attentions: true }]
				: [{ attentions: true, shortlist: true }, { shortlist: true }, { attentions: true }];
		const firstSession = await openPrepared(first, ways);
		const laterSession = later === first ? firstSession : await openPrepared(later, ways);
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
		const shared = [...dynamic].find((file) => !openRows.has(file));
		const batchInvariant = shared === undefined;
		if (shared !== undefined) {
			const why = refusals.get(shared) ?? 'its activations share a scale';
			options.onNotice?.(`Inputs run one at a time: ${basename(shared)}: ${why}.`);
		}
		const canCut = [firstSession, laterSession].every(({ inputs }) => inputs.has(shortlistInput));
		const readHead = async (file: string) =>
			readHeadWeights(await modelFile(description.folder, file));
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

/** Those of the files whose rows share the scales of a run. */
async function dynamicFiles(folder: string, files: readonly string[]): Promise<Set<string>> {
	const found = new Set<string>();
	for (const file of new Set(files)) {
		if (sharesScales(await readGraphSummary(await modelFile(folder, file)))) found.add(file);
	}
	return found;
}
