/** Reranking: documents by how well they answer a query, judged by an encoder that reads both together. */

import { defined } from '../../protocol/defined.ts';
import type { RerankQuestion } from '../../protocol/routes/rerank.ts';
import { WorkQueue } from '../../work/workQueue.ts';
import type { ModelHost, ProviderFallback } from '../host.ts';

export interface RerankOutcome {
	readonly model: string;
	/** Best first; 0 to 1. */
	readonly ranked: readonly { readonly index: number; readonly score: number }[];
	readonly promptTokens: number;
	/** Places of the documents that were cut. */
	readonly truncated: readonly number[];
}

export interface RerankService {
	/** Throws `overloaded` when a body of so many bytes would be refused: asked before it is read. */
	checkRoom(bytes: number): void;
	/** Rejects with `overloaded`, at once, when too much waits already. */
	run(
		request: RerankQuestion,
		onFallback: (fallback: ProviderFallback) => void,
		signal?: AbortSignal,
	): Promise<RerankOutcome>;
}

/** Several requests for a model to put together; and a minute or so of a small model on two cores. */
const usualQueue = (): WorkQueue =>
	new WorkQueue({
		describe: (waiting) => `${Math.round(waiting)} tokens wait to be ranked`,
		maxRunning: 16_000,
		maxWaiting: 400_000,
	});

const charactersPerToken = 4;

/** Tokens of a request, more or less: the query is read with every document. */
const workOf = ({ query, documents }: RerankQuestion): number =>
	documents.reduce((sum, { length }) => sum + length + query.length, 0) / charactersPerToken;

/** @param queue where requests wait, counted in tokens */
export function createRerankService(host: ModelHost, queue = usualQueue()): RerankService {
	return {
		checkRoom: (bytes) => queue.checkRoom({ work: bytes / charactersPerToken }),
		run: async (request, onFallback, signal) => {
			const { id } = await host.resolve(request.model, 'rerank');
			using _ = await queue.enter({ work: workOf(request) }, signal);
			await using lease = await host.acquire(
				id,
				{
					...defined({ executionProvider: request.ep, ttlS: request.ttl }),
					onFallback,
				},
				signal,
			);
			const { query, documents, truncate = true } = request;
			const result = await lease.engine.rerank({ query, documents, truncate }, signal);
			const ranked = [...result.logits].map((logit, index) => ({
				index,
				score: 1 / (1 + Math.exp(-logit)),
				logit,
			}));
			// Of scores that are one number to a computer the logits still tell which is better.
			ranked.sort((left, right) => right.logit - left.logit || left.index - right.index);
			const { promptTokens, truncated } = result;
			return {
				model: id,
				ranked: ranked.slice(0, request.top_n).map(({ index, score }) => ({ index, score })),
				promptTokens,
				truncated,
			};
		},
	};
}
