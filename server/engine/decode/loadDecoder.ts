/** Opens a decoder-only model: reads the graph, classifies it, chooses how it is run. */

import { join } from 'node:path';
import { AppError } from '../../protocol/index.ts';
import type { ModelDescription, ModelVariant } from '../api.ts';
import { readGraphSummary } from '../folder/graphSummary.ts';
import type { Runtime, SessionOptions } from '../runtime/runtime.ts';
import type { Decoder } from './decoder.ts';
import { readDecoderGraph } from './decoderGraph.ts';
import { createSerialDecoder } from './serialDecoder.ts';

export interface LoadDecoderOptions {
	readonly description: ModelDescription;
	readonly variant: ModelVariant;
	readonly runtime: Runtime;
	readonly session: SessionOptions;
	/** Most tokens of a sequence. */
	readonly contextLength: number;
}

/** @throws AppError `unsupported_model` naming the file and the fault */
export async function loadDecoder(options: LoadDecoderOptions): Promise<Decoder> {
	const { description, variant, runtime, contextLength } = options;
	const file = variant.files.model ?? variant.files['decoder-merged'] ?? variant.files.decoder;
	if (file === undefined) {
		throw new AppError(
			'unsupported_model',
			`The folder ${description.folder} has no decoder graph in ${variant.precision}.`,
		);
	}
	const path = join(description.folder, file);
	const summary = await readGraphSummary(path);
	const session = await runtime.open(path, options.session);
	try {
		const graph = readDecoderGraph(session, summary, description);
		return createSerialDecoder(session, graph, { contextLength });
	} catch (error) {
		session.close();
		throw error;
	}
}
