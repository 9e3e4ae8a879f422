/** Which models complete code while one types, and in which order they are offered. Pure. */

import type { ModelInfo } from '../../server/protocol/index.ts';

/** One of several variants of a model, for the devices there are. */
export interface CompletionModel {
	/** What it is downloaded by. */
	readonly alias: string;
	/** The variant that can be asked at once, if there is one: on this computer, or of an engine elsewhere. */
	readonly here?: ModelInfo;
	/** Any variant, for its name, size and licence. */
	readonly model: ModelInfo;
}

/** Names of families that have learned to fill in the middle, whatever their publishers call the variants. */
const fillsMiddle =
	/(?:qwen[\d.]*-?coder|starcoder|codegemma|codellama|deepseek-coder|codestral|stable-code|granite.*code)/i;

/** Base models complete texts and do not chat. */
const tasks: ReadonlySet<ModelInfo['task']> = new Set(['chat-completion', 'text-generation']);

/** States of models that need no download. */
const ready: ReadonlySet<ModelInfo['state']> = new Set(['loaded', 'loading', 'cached', 'remote']);

/**
 * Models that fill in the middle: those that can be asked at once first, then smaller before larger, as a suggestion
 * that comes late is none.
 */
export function completionModels(models: readonly ModelInfo[]): CompletionModel[] {
	const byAlias = new Map<string, ModelInfo[]>();
	for (const model of models) {
		if (!tasks.has(model.task) || !fillsMiddle.test(`${model.alias} ${model.id}`)) continue;
		byAlias.set(model.alias, [...(byAlias.get(model.alias) ?? []), model]);
	}
	const found = [...byAlias].flatMap(([alias, variants]): CompletionModel[] => {
		const here = variants.find(({ state }) => ready.has(state));
		const [model] = here ? [here] : variants;
		return model ? [{ alias, model, ...(here ? { here } : {}) }] : [];
	});
	const size = ({ model }: CompletionModel) =>
		model.sizeBytes ?? model.estimatedBytes ?? Number.MAX_SAFE_INTEGER;
	return found.sort((a, b) => Number(!a.here) - Number(!b.here) || size(a) - size(b));
}
