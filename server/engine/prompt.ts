/** What a model is to go on with. */

import type { ChatMessage, ToolDefinition } from '../protocol/index.ts';

export type GeneratePrompt =
	| {
			readonly kind: 'chat';
			readonly messages: readonly ChatMessage[];
			readonly tools?: readonly ToolDefinition[];
			/** Extra variables of the chat template, e.g. `enable_thinking`. */
			readonly templateVariables?: Readonly<Record<string, unknown>>;
			/** Its tokens, where somebody has rendered and tokenised it already. */
			readonly tokens?: readonly number[];
	  }
	| { readonly kind: 'text'; readonly text: string }
	| { readonly kind: 'tokens'; readonly tokens: readonly number[] };
