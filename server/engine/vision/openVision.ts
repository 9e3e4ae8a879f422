/**
 * Opens a model that sees, of the published three graphs: the vision encoder, the embeddings, and a decoder that
 * takes them. Its sequences run one at a time, in the graph as it was published.
 */

import { modelFile } from '../../hub/modelFile.ts';
import { AppError } from '../../protocol/index.ts';
import type { ModelDescription, ModelVariant } from '../api.ts';
import type { Decoder } from '../decode/decoder.ts';
import { readDecoderGraph } from '../decode/decoderGraph.ts';
import { openSerialDecoder } from '../decode/serialDecoder.ts';
import { readGraphSummary } from '../modelFiles/graphSummary.ts';
import { readImageLayout } from '../modelFiles/imageLayout.ts';
import type { Runtime, Session, SessionOptions } from '../runtime/runtime.ts';
import { embeddedSession } from './embeddedSession.ts';
import { gridPositions } from './gridPositions.ts';
import { ImageReader } from './imageReader.ts';
import { ImageVectors } from './imageVectors.ts';

export interface OpenedVision {
	/** Closing it closes the embeddings as well, and the encoder. */
	readonly decoder: Decoder;
	readonly images: ImageReader;
}

/** @throws AppError `unsupported_model` naming the file and the fault */
export async function openVision({
	description,
	variant,
	runtime,
	session,
	contextLength,
}: {
	readonly description: ModelDescription;
	readonly variant: ModelVariant;
	readonly runtime: Runtime;
	readonly session: SessionOptions;
	readonly contextLength: number;
}): Promise<OpenedVision> {
	const { folder } = description;
	const layout = await readImageLayout(folder);
	const files = [
		variant.files['vision-encoder'],
		variant.files['embed-tokens'],
		variant.files['decoder-merged'],
	];
	if (layout === undefined || files.includes(undefined))
		throw new AppError('unsupported_model', `${folder} is no model for images that is known here.`);
	const [encoderPath, embeddingsPath, decoderPath] = (await Promise.all(
		files.map((file) => modelFile(folder, file ?? '')),
	)) as [string, string, string];
	const opened: Session[] = [];
	const open = async (path: string) => {
		const graph = await runtime.open(path, session);
		opened.push(graph);
		return graph;
	};
	try {
		const encoder = await open(encoderPath);
		const embeddings = await open(embeddingsPath);
		const images = new ImageVectors();
		const graph = embeddedSession(await open(decoderPath), embeddings, images);
		const read = readDecoderGraph(graph, await readGraphSummary(decoderPath), description);
		const hasGrid = (read.positions?.dims.length ?? 2) === 3;
		const { serial } = await openSerialDecoder(graph, read, {
			contextLength,
			...(hasGrid
				? {
						positions: (tokens: readonly number[], from: number, count: number) =>
							gridPositions(tokens, from, count, images),
					}
				: {}),
		});
		const close = serial.close.bind(serial);
		serial.close = () => {
			close();
			encoder.close();
		};
		return { decoder: serial, images: new ImageReader(encoder, layout, images) };
	} catch (error) {
		for (const each of opened) each.close();
		throw error;
	}
}
