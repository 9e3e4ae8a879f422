/** The models of this computer that compare meanings: which one makes vectors, which one orders what was found. */

import type { ModelInfo, ModelTask } from '../../protocol/index.ts';
import { embeddings, listOwnModels, rerank } from '../../protocol/routeAddresses.ts';
import type { Client } from '../../protocol/routeClient.ts';

/** What a publisher wants before a question and before what is searched. */
const prompts: readonly (readonly [RegExp, { question: string; passage: string }])[] = [
	[/e5/i, { question: 'query: ', passage: 'passage: ' }],
	[/nomic-embed/i, { question: 'search_query: ', passage: 'search_document: ' }],
	[
		/bge-(?:small|base|large)-en|arctic-embed|mxbai-embed/i,
		{ question: 'Represent this sentence for searching relevant passages: ', passage: '' },
	],
];
const noPrompts = { question: '', passage: '' };

const promptsOf = (model: string) => prompts.find(([name]) => name.test(model))?.[1] ?? noPrompts;

/** The models that are there now; a loaded one before others. */
export async function vectorModels(
	client: Client,
	signal: AbortSignal,
): Promise<{ readonly embedder?: string; readonly reranker?: string }> {
	const { models } = await client.call(listOwnModels, {}, { signal });
	const best = (task: ModelTask): string | undefined => {
		const ready = models.filter((model) => model.task === task && rank(model) > 0);
		return ready.sort((a, b) => rank(b) - rank(a) || a.id.localeCompare(b.id))[0]?.id;
	};
	const embedder = best('embeddings');
	const reranker = best('rerank');
	return { ...(embedder ? { embedder } : {}), ...(reranker ? { reranker } : {}) };
}

/** 0: it cannot answer now. */
function rank({ state, pinned }: ModelInfo): number {
	if (state !== 'cached' && state !== 'loading' && state !== 'loaded') return 0;
	return (state === 'cached' ? 1 : 2) + (pinned ? 4 : 0);
}

/** Vectors of texts, in their order. */
export async function embedTexts(
	client: Client,
	{ model, texts, are }: { model: string; texts: readonly string[]; are: 'question' | 'passage' },
	signal: AbortSignal,
): Promise<Float32Array[]> {
	const before = promptsOf(model)[are];
	const body = {
		model,
		input: texts.map((text) => before + text),
		encoding_format: 'base64' as const,
	};
	const { data } = await client.call(embeddings, { body }, { signal });
	return data.map(({ embedding }) => {
		if (typeof embedding !== 'string') return Float32Array.from(embedding);
		const bytes = Buffer.from(embedding, 'base64');
		return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at));
	});
}

/** Places of the texts, best first. */
export async function rerankTexts(
	client: Client,
	given: { model: string; question: string; texts: readonly string[]; limit: number },
	signal: AbortSignal,
): Promise<number[]> {
	const { model, question: query, texts, limit: top_n } = given;
	const body = { model, query, documents: [...texts], top_n };
	const { results } = await client.call(rerank, { body }, { signal });
	return results.map(({ index }) => index);
}
