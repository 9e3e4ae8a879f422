/**
 * Embeddings and reranking that send requests which name a model of another engine (`lab/bge-m3`) to that engine, and
 * all others to this machine. Neither ever stands in for the other.
 */

import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import { charactersPerToken, usageOf } from '../../remote/upstreams/chatObject.ts';
import { ranksOf, vectorsOf } from '../../remote/upstreams/textAnswers.ts';
import type { Upstreams } from '../../remote/upstreams/upstreams.ts';
import { openBill } from '../limits/account.ts';
import type { EmbeddingService } from './embeddingService.ts';
import type { RerankService } from './rerankService.ts';

type FindUpstream = Pick<Upstreams, 'find'>;

/** Inputs asked for at once: an answer is read in one go, and must not hold others up. */
const inputsAtOnce = 64;

const tokensIn = (input: string | readonly number[]): number =>
	typeof input === 'string' ? Math.ceil(input.length / charactersPerToken) : input.length;

export function upstreamEmbeddings(
	local: EmbeddingService,
	upstreams: FindUpstream,
): EmbeddingService {
	return {
		checkRoom: (bytes) => local.checkRoom(bytes),
		run: async (request, onFallback, signal) => {
			const named = await upstreams.find(request.model, 'embeddings');
			if (named === undefined) return local.run(request, onFallback, signal);
			const { upstream, model, id } = named;
			const { input, dimensions, account } = request;
			const empty = input.findIndex(({ length }) => length === 0);
			if (empty >= 0)
				throw new AppError('invalid_request', `'input[${empty}]' is empty.`, { param: 'input' });
			const estimated = input.reduce((sum, one) => sum + tokensIn(one), 0);
			await using bill = await openBill(account, {
				kind: 'embeddings',
				model: id,
				amounts: { tokens: estimated },
			});
			const vectors: Float32Array[] = [];
			let promptTokens = 0;
			for (let from = 0; from < input.length; from += inputsAtOnce) {
				const part = input.slice(from, from + inputsAtOnce);
				const answer = await upstream.whole(
					'/embeddings',
					{ model, input: part, encoding_format: 'float', ...defined({ dimensions }) },
					signal,
				);
				const found = vectorsOf(answer, part.length);
				if (found === undefined || (vectors[0] && found[0]?.length !== vectors[0].length))
					throw upstream.nonsense();
				for (const vector of found) vectors.push(vector);
				promptTokens +=
					usageOf(answer)?.promptTokens ?? part.reduce((sum, one) => sum + tokensIn(one), 0);
				bill.total({ promptTokens });
			}
			return { model: id, vectors, promptTokens, loadMs: 0 };
		},
	};
}

export function upstreamReranking(local: RerankService, upstreams: FindUpstream): RerankService {
	return {
		checkRoom: (bytes) => local.checkRoom(bytes),
		run: async (request, onFallback, signal) => {
			const named = await upstreams.find(request.model, 'rerank');
			if (named === undefined) return local.run(request, onFallback, signal);
			const { upstream, model, id } = named;
			const { query, documents, top_n, account, truncate } = request;
			if (truncate === false)
				throw new AppError(
					'unsupported_parameter',
					"'truncate' of false is for models of this computer: an engine elsewhere does not say what it has cut.",
					{ param: 'truncate' },
				);
			const estimated = documents.reduce((sum, one) => sum + tokensIn(one) + tokensIn(query), 0);
			await using bill = await openBill(account, {
				kind: 'rerank',
				model: id,
				amounts: { tokens: estimated },
			});
			const answer = await upstream.whole(
				'/rerank',
				{ model, query, documents, ...defined({ top_n }) },
				signal,
			);
			const ranked = ranksOf(answer, documents.length);
			const expected = Math.min(top_n ?? documents.length, documents.length);
			if (ranked === undefined || ranked.length < expected) throw upstream.nonsense();
			const promptTokens = usageOf(answer)?.promptTokens ?? estimated;
			bill.total({ promptTokens });
			return { model: id, ranked: ranked.slice(0, expected), promptTokens, truncated: [] };
		},
	};
}
