/** Opens a plain-attention model in its fused form, once that has been seen to give the same logits. */

import { writeFile } from 'node:fs/promises';
import { readGraphSummary } from '../folder/graphSummary.ts';
import { asNumber, asRecord, readJsonFile } from '../folder/json.ts';
import { type Preparation, prepareGraph } from '../onnx/prepare.ts';
import type { Session } from '../runtime/runtime.ts';
import type { Decoder, StepRow } from './decoder.ts';
import { type DecoderGraph, readDecoderGraph } from './decoderGraph.ts';
import type { LoadDecoderOptions } from './loadDecoder.ts';
import { compareSteps } from './selfTest.ts';
import { createSerialDecoder } from './serialDecoder.ts';

export interface FusedDecoder {
	readonly session: Session;
	readonly serial: Decoder;
	readonly graph: DecoderGraph;
	/** What was changed, to make the graphs with slots in the same way. */
	readonly preparation: Preparation;
}

/** Largest relative difference of logits; blocks of 4 bits amplify rounding. */
const exactTolerance = 1e-4;
const quantisedTolerance = 1e-2;

/** The fused model, or `undefined` when it cannot be fused; `openPlain` gives the original to compare with. */
export async function loadFused(
	path: string,
	base: Preparation,
	options: LoadDecoderOptions,
	openPlain: () => Promise<Decoder>,
): Promise<FusedDecoder | undefined> {
	const { description, runtime, session: sessionOptions, contextLength, onNotice } = options;
	const fuseHeads = await queryHeads(description.folder);
	if (fuseHeads === undefined) return undefined;
	const preparation: Preparation = { ...base, gather: true, fuseHeads };
	const ready = await prepareGraph(path, preparation);
	if ('refused' in ready) return undefined;
	let session: Session;
	let graph: DecoderGraph;
	try {
		session = await runtime.open(ready.path, sessionOptions);
		graph = readDecoderGraph(session, await readGraphSummary(ready.path), description, false);
	} catch {
		// Includes the note that is left in place of a graph that failed the comparison below.
		return undefined;
	}
	const serial = createSerialDecoder(session, graph, { contextLength });
	if (!ready.isNew) return { session, serial, graph, preparation };
	const plain = await openPlain();
	try {
		const isExact = options.variant.precision === 'fp32';
		const differs = await compareSteps(
			plain,
			() => serial.createCache(),
			async (rows: readonly StepRow[]) => {
				const results: Float32Array[][] = [];
				for (const row of rows) {
					const [logits = []] = await serial.step([row]);
					results.push(logits.map((one) => one.slice()));
				}
				return results;
			},
			isExact ? exactTolerance : quantisedTolerance,
		);
		if (differs === undefined) return { session, serial, graph, preparation };
		onNotice?.(`Attention stays as published: fused, ${differs}.`);
		await writeFile(ready.path, 'The fused form of this graph gave other results.\n');
		serial.close();
		return undefined;
	} finally {
		plain.close();
	}
}

async function queryHeads(folder: string): Promise<number | undefined> {
	const config = await readJsonFile(folder, 'config.json');
	const text = asRecord(config?.['text_config']);
	for (const from of [config, text]) {
		const heads = asNumber(from?.['num_attention_heads']) ?? asNumber(from?.['n_head']);
		if (heads !== undefined) return heads;
	}
	return undefined;
}
