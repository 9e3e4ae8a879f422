/** Reranking: documents by how well they answer a query, judged by an encoder that reads both together. */

import type { Owned, Prioritized } from '../../engine/api.ts';
import { defined } from '../../protocol/defined.ts';
import type { RerankQuestion } from '../../protocol/routes/rerank.ts';
import { WorkBound } from '../../work/workBound.ts';
import type { ModelHost, ProviderFallback } from '../host.ts';
import { type Charged, openBill } from '../limits/account.ts';
import { inputTokens, sumOf } from '../limits/inputTokens.ts';

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
		request: RerankQuestion & Owned & Charged & Prioritized,
		onFallback: (fallback: ProviderFallback) => void,
		signal?: AbortSignal,
	): Promise<RerankOutcome>;
}

/** A minute or so of a small model on two cores; and several requests on any machine. */
const usualBound = (): WorkBound =>
	new WorkBound({
		describe: (work) => `${Math.round(work)} tokens wait to be ranked`,
		maxWork: 400_000,
		minWork: 16_000,
	});

const charactersPerToken = 4;

/** Tokens of a request, more or less: the query is read with every document. */
const workOf = ({ query, documents }: RerankQuestion): number =>
	documents.reduce((sum, { length }) => sum + length + query.length, 0) / charactersPerToken;

/** @param bound of all requests, counted in tokens */
export function createRerankService(host: ModelHost, bound = usualBound()): RerankService {
	return {
		checkRoom: (bytes) => bound.checkRoom({ work: bytes / charactersPerToken }),
		run: async (request, onFallback, signal) => {
			const { id } = await host.resolve(request.model, 'rerank');
			using _ = bound.enter({ work: workOf(request) }, signal);
			const { account } = request;
			const read = [request.query, ...request.documents];
			const [asked = 0, ...found] = await inputTokens(host, id, read, account, signal);
			await using bill = await openBill(account, {
				kind: 'rerank',
				model: id,
				// The query is read with every document.
				amounts: { tokens: sumOf(found) + asked * found.length },
			});
			await using lease = await host.acquire(
				id,
				{
					...defined({ executionProvider: request.ep, exact: request.exact, ttlS: request.ttl }),
					onFallback,
				},
				signal,
			);
			const { query, documents, truncate = true, owner, priority } = request;
			const result = await lease.engine.rerank(
				{ query, documents, truncate, owner, priority },
				signal,
			);
			const ranked = [...result.logits].map((logit, index) => ({
				index,
				score: 1 / (1 + Math.exp(-logit)),
				logit,
			}));
			// Of scores that are one number to a computer the logits still tell which is better.
			ranked.sort((left, right) => right.logit - left.logit || left.index - right.index);
			const { promptTokens, truncated } = result;
			bill.total({ promptTokens });
			return {
				model: id,
				ranked: ranked.slice(0, request.top_n).map(({ index, score }) => ({ index, score })),
				promptTokens,
				truncated,
			};
		},
	};
}
