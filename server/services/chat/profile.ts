/** What a model's files say about answering: defaults, tool format, reasoning, template variables. */

import type { SamplingOptions } from '../../engine/api.ts';
import type { ImageLayout } from '../../engine/modelFiles/imageLayout.ts';
import type { ReasoningTags } from '../../engine/template/reasoning.ts';
import type { ToolFormat } from '../../engine/template/toolFormat.ts';

export interface ModelProfile {
	/** How the publisher wants the model sampled; requests override it field by field. */
	readonly sampling: Pick<
		SamplingOptions,
		'temperature' | 'topP' | 'topK' | 'minP' | 'repetitionPenalty'
	>;
	readonly toolFormat: ToolFormat;
	readonly reasoning: ReasoningTags;
	/** Source of the chat template; `undefined` when the model has none. */
	readonly template: string | undefined;
	/** How the model wants its images; `undefined`: it does not see. */
	readonly images?: ImageLayout;
	/** Vocabulary of the model, for the range of token ids. */
	readonly vocabularySize: number;
}

/** Finds the profile of a model on disk. */
export type LoadProfile = (folder: string) => Promise<ModelProfile>;
