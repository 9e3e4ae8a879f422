/** Embeddings: texts or token ids to vectors, pooled and normalised as the model's files say. */

import type { Owned, Prioritized } from '../../engine/api.ts';
import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import type { EmbeddingRequest } from '../../protocol/routes/embeddings.ts';
import { WorkBound } from '../../work/workBound.ts';
import type { ModelHost, ProviderFallback } from '../host.ts';
import { type Charged, openBill } from '../limits/account.ts';
import { inputTokens, sumOf } from '../limits/inputTokens.ts';

export interface EmbeddingOutcome {
	readonly model: string;
	readonly vectors: readonly Float32Array[];
	readonly promptTokens: number;
	/** Milliseconds spent loading the model for this request. */
	readonly loadMs: number;
}

export interface EmbeddingService {
	/** Throws `overloaded` when a body of so many bytes would be refused: asked before it is read. */
	checkRoom(bytes: number): void;
	/** Rejects with `overloaded`, at once, when too much waits already. */
	run(
		request: EmbeddingRequest & Owned & Charged & Prioritized,
		onFallback: (fallback: ProviderFallback) => void,
		signal?: AbortSignal,
	): Promise<EmbeddingOutcome>;
}

/** A minute or so of a small model on two cores; and several requests on any machine. */
const usualBound = (): WorkBound =>
	new WorkBound({
		describe: (work) => `${Math.round(work)} tokens wait to be embedded`,
		maxWork: 400_000,
		minWork: 16_000,
	});

const charactersPerToken = 4;

/** Tokens of a request, more or less. */
const workOf = ({ input }: EmbeddingRequest): number =>
	input.reduce(
		(sum, one) => sum + one.length / (typeof one === 'string' ? charactersPerToken : 1),
		0,
	);

/** @param bound of all requests, counted in tokens */
export function createEmbeddingService(host: ModelHost, bound = usualBound()): EmbeddingService {
	return {
		checkRoom: (bytes) => bound.checkRoom({ work: bytes / charactersPerToken }),
		run: async (request, onFallback, signal) => {
			const { id } = await host.resolve(request.model, 'embeddings');
			const empty = request.input.findIndex((input) => input.length === 0);
			if (empty >= 0)
				throw new AppError('invalid_request', `'input[${empty}]' is empty.`, { param: 'input' });
			using _ = bound.enter({ work: workOf(request) }, signal);
			const { input, account } = request;
			const tokens = sumOf(await inputTokens(host, id, input, account, signal));
			await using bill = await openBill(account, {
				kind: 'embeddings',
				model: id,
				amounts: { tokens },
			});
			await using lease = await host.acquire(
				id,
				{
					...defined({ executionProvider: request.ep, exact: request.exact, ttlS: request.ttl }),
					onFallback,
				},
				signal,
			);
			const { dimensions, owner, priority } = request;
			const result = await lease.engine.embed(
				{ inputs: request.input, ...defined({ dimensions, owner, priority }) },
				signal,
			);
			bill.total({ promptTokens: result.promptTokens });
			return {
				model: id,
				vectors: result.vectors,
				promptTokens: result.promptTokens,
				loadMs: lease.loadMs,
			};
		},
	};
}

/** Little-endian float32, as the interface's base64 form has it. */
export function base64Vector(vector: Float32Array): string {
	const bytes = new DataView(new ArrayBuffer(vector.length * 4));
	for (const [index, value] of vector.entries()) bytes.setFloat32(index * 4, value, true);
	return Buffer.from(bytes.buffer).toString('base64');
}
