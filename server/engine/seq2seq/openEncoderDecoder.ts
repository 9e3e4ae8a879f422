/** Opens the graphs of an encoder-decoder: merged (`use_cache_branch`) or two decoders. */

import { basename } from 'node:path';
import { modelFile } from '../../hub/modelFile.ts';
import { AppError } from '../../protocol/index.ts';
import type { ModelDescription, ModelVariant } from '../api.ts';
import { genaiNames } from '../folder/genaiNames.ts';
import { readGraphSummary } from '../folder/graphSummary.ts';
import { readJsonFile } from '../folder/json.ts';
import { sharesScales } from '../folder/precision.ts';
import type { Runtime, SessionOptions } from '../runtime/runtime.ts';
import type { Verified } from '../verify/openVerified.ts';
import type { Verdicts } from '../verify/verdict.ts';
import { createDecoderRun } from './decoderRun.ts';
import { encodeBatch, encoderInputs } from './encodeBatch.ts';
import type { EncoderDecoder } from './encoderDecoder.ts';
import { frequentWords, readLexicon } from './lexicon.ts';
import { type OpenDecoder, openDecoder, openEncoder, sharedHead, type Tell } from './openGraphs.ts';

export interface OpenEncoderDecoderOptions {
	readonly description: ModelDescription;
	readonly variant: ModelVariant;
	readonly runtime: Runtime;
	readonly session: SessionOptions;
	readonly verdicts?: Verdicts;
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
	const { description, variant } = options;
	const { files } = variant;
	const first = files['decoder-merged'] ?? files.decoder;
	const later = files['decoder-merged'] ?? files['decoder-with-past'];
	if (files.encoder === undefined || first === undefined || later === undefined) {
		throw new AppError(
			'unsupported_model',
			`The folder ${description.folder} lacks a graph in ${variant.precision}: an encoder and either a merged decoder or both decoder and decoder-with-past are needed.`,
		);
	}
	const { folder } = description;
	const paths = {
		encoder: await modelFile(folder, files.encoder),
		first: await modelFile(folder, first),
		later: await modelFile(folder, later),
	};
	const decoders: readonly [string, string] = [paths.first, paths.later];
	const dynamic = await dynamicFiles(
		options.encodesAlone === true ? decoders : [paths.encoder, ...decoders],
	);
	const names =
		description.layout === 'genai'
			? genaiNames(await readJsonFile(folder, 'genai_config.json'))
			: undefined;
	const lexicon =
		options.shortlist === false ? undefined : await readLexicon(folder, description.vocabularySize);
	const refusals = new Map<string, string>();
	const tell =
		(path: string): Tell =>
		(why, way) => {
			if (why.differs)
				options.onNotice?.(`${basename(path)} is not rewritten for ${why.change}: ${why.reason}.`);
			else if (way.rows === true) refusals.set(path, why.reason);
		};
	const parts = { ...options, dynamic, names };
	const { opened: encoder } = await openEncoder(
		{ ...parts, path: paths.encoder },
		tell(paths.encoder),
	);
	let decoder: Verified<OpenDecoder> | undefined;
	try {
		const head = lexicon === undefined ? undefined : await sharedHead(decoders);
		decoder = await openDecoder(
			{ ...parts, encoder: encoder.encoder, head, files: decoders },
			tell(paths.first),
		);
		const { graphs, vocabularySize, takesColumns, batches } = decoder.opened;
		const waiting = encoder.batches
			? decoders.find((path) => !batches && dynamic.has(path))
			: paths.encoder;
		if (waiting !== undefined) {
			const why =
				refusals.get(waiting) ?? refusals.get(paths.first) ?? 'its activations share a scale';
			options.onNotice?.(`Inputs run one at a time: ${basename(waiting)}: ${why}.`);
		}
		const { close } = decoder.opened;
		return {
			...(lexicon !== undefined && head !== undefined && takesColumns
				? { shortlist: { lexicon, head, frequent: frequentWords(lexicon) } }
				: {}),
			encoderInputs: encoderInputs(encoder.encoder, names),
			vocabularySize,
			crossBytesPerPosition: graphs.cross.reduce(
				(sum, { heads, headSize, type }) => sum + heads * headSize * (type === 'float16' ? 2 : 4),
				0,
			),
			attentionLayers: [...graphs.attentions.keys()].sort((a, b) => a - b),
			batchInvariant: waiting === undefined,
			lastLogitsOnly: graphs.firstLogits.lastOnly,
			encode: (inputs, signal) =>
				encodeBatch({ encoder: encoder.encoder, names, graphs }, inputs, signal),
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
				encoder.close();
				close();
			},
		};
	} catch (error) {
		encoder.close();
		decoder?.opened.close();
		throw error;
	}
}

/** Those of the graphs whose rows share the scales of a run. */
async function dynamicFiles(paths: readonly string[]): Promise<Set<string>> {
	const found = new Set<string>();
	for (const path of new Set(paths))
		if (sharesScales(await readGraphSummary(path))) found.add(path);
	return found;
}
