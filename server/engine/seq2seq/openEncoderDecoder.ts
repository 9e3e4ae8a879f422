/** Opens the graphs of an encoder-decoder: merged (`use_cache_branch`) or two decoders. */

import { basename } from 'node:path';
import { modelFile } from '../../hub/modelFile.ts';
import { AppError } from '../../protocol/index.ts';
import { genaiNames } from '../modelFiles/genaiNames.ts';
import { readGraphSummary } from '../modelFiles/graphSummary.ts';
import { readJsonFile } from '../modelFiles/json.ts';
import { hasPerTensorScales } from '../modelFiles/precision.ts';
import type { Verified } from '../verify/openVerified.ts';
import { cutsSignedSums } from '../verify/signedSums.ts';
import { createDecoderRun } from './decoderRun.ts';
import { encodeBatch, encoderInputs } from './encodeBatch.ts';
import type { EncoderDecoder } from './encoderDecoder.ts';
import { frequentTokens, readLexicon } from './lexicon.ts';
import {
	type Notify,
	type OpenDecoder,
	type OpenEncoderDecoderOptions,
	openDecoder,
	openEncoder,
	sharedHead,
} from './openGraphs.ts';

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
		options.encoderBatchSize === 1 ? decoders : [paths.encoder, ...decoders],
	);
	const names =
		description.layout === 'genai'
			? genaiNames(await readJsonFile(folder, 'genai_config.json'))
			: undefined;
	const lexicon =
		options.shortlist === false ? undefined : await readLexicon(folder, description.vocabularySize);
	const refusals = new Map<string, string>();
	const notify =
		(path: string): Notify =>
		(why, rewrites) => {
			if (why.differs)
				options.onNotice?.(`${basename(path)} is not rewritten for ${why.change}: ${why.reason}.`);
			else if (rewrites.perTokenQuantization === true) refusals.set(path, why.reason);
		};
	const parts = { ...options, dynamic, names };
	const { opened: encoder } = await openEncoder(
		{ ...parts, path: paths.encoder },
		notify(paths.encoder),
	);
	let decoder: Verified<OpenDecoder> | undefined;
	try {
		const columnBytes = (await cutsSignedSums(options.runtime)) ? 'unsigned' : 'signed';
		const head = lexicon === undefined ? undefined : await sharedHead(decoders, columnBytes);
		decoder = await openDecoder(
			{ ...parts, encoder: encoder.encoder, head, columnBytes, files: decoders },
			notify(paths.first),
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
				? { shortlist: { lexicon, head, frequent: frequentTokens(lexicon) } }
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
					sequencesPerItem: start.sequencesPerItem ?? 1,
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

/** Those of the graphs with per-tensor scales. */
async function dynamicFiles(paths: readonly string[]): Promise<Set<string>> {
	const found = new Set<string>();
	for (const path of new Set(paths))
		if (hasPerTensorScales(await readGraphSummary(path))) found.add(path);
	return found;
}
