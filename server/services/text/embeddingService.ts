/** Embeddings: texts or token ids to vectors, pooled and normalised as the model's files say. */

import { AppError } from '../../protocol/index.ts';
import type { EmbeddingRequest } from '../../protocol/routes/embeddings.ts';
import type { ModelHost, ProviderFallback } from '../host.ts';

export interface EmbeddingOutcome {
	readonly model: string;
	readonly vectors: readonly Float32Array[];
	readonly promptTokens: number;
}

export interface EmbeddingService {
	run(
		request: EmbeddingRequest,
		onFallback: (fallback: ProviderFallback) => void,
		signal?: AbortSignal,
	): Promise<EmbeddingOutcome>;
}

export function createEmbeddingService(host: ModelHost): EmbeddingService {
	return {
		run: async (request, onFallback, signal) => {
			const { id } = await host.resolve(request.model, 'embeddings');
			const empty = request.input.findIndex((input) => input.length === 0);
			if (empty >= 0)
				throw new AppError('invalid_request', `'input[${empty}]' is empty.`, { param: 'input' });
			await using lease = await host.acquire(
				id,
				{
					...(request.ep === undefined ? {} : { executionProvider: request.ep }),
					...(request.ttl === undefined ? {} : { ttlS: request.ttl }),
					onFallback,
				},
				signal,
			);
			const { dimensions } = request;
			const result = await lease.engine.embed(
				{ inputs: request.input, ...(dimensions === undefined ? {} : { dimensions }) },
				signal,
			);
			return { model: id, vectors: result.vectors, promptTokens: result.promptTokens };
		},
	};
}

/** Little-endian float32, as the interface's base64 form has it. */
export function base64Vector(vector: Float32Array): string {
	const bytes = new DataView(new ArrayBuffer(vector.length * 4));
	for (const [index, value] of vector.entries()) bytes.setFloat32(index * 4, value, true);
	return Buffer.from(bytes.buffer).toString('base64');
}
