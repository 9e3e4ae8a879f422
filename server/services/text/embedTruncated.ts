/** Vectors of texts that may be longer than the model reads: the end of those is left out, and which they are is said. */

import type { Owned, Prioritized } from '../../engine/api.ts';
import { AppError } from '../../protocol/index.ts';
import type { EmbeddingRequest } from '../../protocol/routes/embeddings.ts';
import type { ModelHost, ProviderFallback } from '../host.ts';
import type { Charged } from '../limits/account.ts';
import type { EmbeddingOutcome, EmbeddingService } from './embeddingService.ts';

/** Cutting a text can change the tokens before the cut, so it may take more than one attempt. */
const maxAttempts = 4;

export interface TruncatedEmbedding {
	readonly outcome: EmbeddingOutcome;
	/** Places of the texts that were cut. */
	readonly truncated: readonly number[];
}

/** @param truncate false: a text that is too long is refused */
export async function embedTruncated(
	{ embeddings, host }: { readonly embeddings: EmbeddingService; readonly host: ModelHost },
	request: EmbeddingRequest & Owned & Charged & Prioritized,
	truncate: boolean,
	onFallback: (fallback: ProviderFallback) => void,
	signal?: AbortSignal,
): Promise<TruncatedEmbedding> {
	let input = request.input;
	const truncated = new Set<number>();
	for (let attempt = 1; ; attempt++) {
		try {
			const outcome = await embeddings.run({ ...request, input }, onFallback, signal);
			return { outcome, truncated: [...truncated].sort((a, b) => a - b) };
		} catch (error) {
			const room = truncate && attempt < maxAttempts ? roomOf(error) : undefined;
			if (room === undefined) throw error;
			const { id } = await host.resolve(request.model, 'embeddings');
			const text = await host.textModel(id);
			const texts = input.map((each) => (typeof each === 'string' ? each : ''));
			const read = await text.request('encodeWithOffsets', { texts }, signal);
			// What the model's files put around each text, and around nothing else.
			const around =
				typeof input[room.index] === 'string'
					? Math.max(0, room.tokens - (read[room.index]?.ids.length ?? 0))
					: 0;
			input = input.map((each, index) => {
				if (typeof each !== 'string') {
					if (each.length > room.limit) truncated.add(index);
					return each.slice(0, room.limit);
				}
				const { ids = [], offsets = [] } = read[index] ?? {};
				const over = ids.length + around - room.limit;
				if (over <= 0) return each;
				truncated.add(index);
				const own = offsets.filter(([start, end]) => end > start);
				return each.slice(0, own[Math.max(0, own.length - over - 1)]?.[1]);
			});
		}
	}
}

/** What an error says of the text that was too long. */
function roomOf(error: unknown): { tokens: number; limit: number; index: number } | undefined {
	if (!(error instanceof AppError) || error.code !== 'context_length_exceeded') return undefined;
	const { tokens, limit, index } = error.data ?? {};
	return typeof tokens === 'number' && typeof limit === 'number' && typeof index === 'number'
		? { tokens, limit, index }
		: undefined;
}
