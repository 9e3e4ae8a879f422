/**
 * A decoder that takes embeddings, as a graph that takes token ids: the graph of the embeddings runs before it, and
 * vectors of images take the places of their ids.
 */

import { AppError } from '../../protocol/index.ts';
import type { Binding, Session, TensorData, TensorInfo } from '../runtime/runtime.ts';
import { type ImageVectors, isVectorId } from './imageVectors.ts';

const ids: TensorInfo = { name: 'input_ids', type: 'int64', dims: [-1, -1] };

/** @param embeddings graph from `input_ids` to the embeddings; closed with the session */
export function embeddedSession(
	decoder: Session,
	embeddings: Session,
	images: Pick<ImageVectors, 'vector'>,
): Session {
	const inputs = new Map([[ids.name, ids], ...decoder.inputs]);
	inputs.delete('inputs_embeds');
	const output = [...embeddings.outputs.values()][0];
	const input = decoder.inputs.get('inputs_embeds');
	if (output?.type !== 'float32' || input?.type !== 'float32')
		throw new AppError(
			'unsupported_model',
			'The embeddings of this export are not in single precision; take another precision of the model.',
		);
	return {
		inputs,
		outputs: decoder.outputs,
		executionProvider: decoder.executionProvider,
		createBinding: () =>
			new EmbeddedBinding(decoder.createBinding(), embeddings.createBinding(), output.name, images),
		close: () => {
			decoder.close();
			embeddings.close();
		},
	};
}

class EmbeddedBinding implements Binding {
	readonly #decoder: Binding;
	readonly #embeddings: Binding;
	readonly #output: string;
	readonly #images: Pick<ImageVectors, 'vector'>;
	#ids: { readonly data: TensorData; readonly dims: readonly number[] } | undefined;

	constructor(
		decoder: Binding,
		embeddings: Binding,
		output: string,
		images: Pick<ImageVectors, 'vector'>,
	) {
		this.#decoder = decoder;
		this.#embeddings = embeddings;
		this.#output = output;
		this.#images = images;
	}

	input(name: string, data: TensorData, dims: readonly number[]): void {
		if (name === ids.name) this.#ids = { data, dims };
		else this.#decoder.input(name, data, dims);
	}

	output(name: string, data: TensorData, dims: readonly number[]): void {
		this.#decoder.output(name, data, dims);
	}

	outputAny(name: string): void {
		this.#decoder.outputAny(name);
	}

	clearOutputs(): void {
		this.#decoder.clearOutputs();
	}

	expectWork(units: number): void {
		this.#decoder.expectWork(units);
		this.#embeddings.expectWork(units);
	}

	take(name: string) {
		return this.#decoder.take(name);
	}

	async run(signal?: AbortSignal): Promise<void> {
		const { data, dims } = this.#ids ?? { data: new BigInt64Array(0), dims: [1, 0] };
		const count = dims.reduce((product, dim) => product * dim, 1);
		const given = Array.from((data as BigInt64Array).subarray(0, count), Number);
		// Any token will do where a vector takes its place.
		const known = BigInt64Array.from(given, (id) => (isVectorId(id) ? 0n : BigInt(id)));
		this.#embeddings.input(ids.name, known, dims);
		this.#embeddings.outputAny(this.#output);
		await this.#embeddings.run(signal);
		const embedded = this.#embeddings.take(this.#output);
		const rows = embedded.data as Float32Array;
		const width = rows.length / Math.max(1, count);
		for (const [index, id] of given.entries()) {
			if (!isVectorId(id)) continue;
			const vector = this.#images.vector(id);
			if (vector?.length !== width)
				throw new AppError('internal', 'The vectors of an image are gone before it was read.');
			rows.set(vector, index * width);
		}
		this.#decoder.input('inputs_embeds', rows, embedded.dims);
		await this.#decoder.run(signal);
	}

	release(): void {
		this.#decoder.release();
		this.#embeddings.release();
	}
}
