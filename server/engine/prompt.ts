/** What a model is to go on with. */

import type { ChatMessage, ImageDetail, ToolDefinition } from '../protocol/index.ts';

/** An image of a prompt, as a file. */
export interface PromptImage {
	readonly bytes: Uint8Array;
	readonly detail: ImageDetail;
}

/** A message as templates write it: its images are texts that take the place of the template's marks. */
export type PromptMessage = Omit<ChatMessage, 'images'> & {
	readonly images?: readonly { readonly fromEnd: number; readonly text: string }[];
};

export type GeneratePrompt =
	| {
			readonly kind: 'chat';
			readonly messages: readonly PromptMessage[];
			readonly tools?: readonly ToolDefinition[];
			/** Extra variables of the chat template, e.g. `enable_thinking`. */
			readonly templateVariables?: Readonly<Record<string, unknown>>;
			/** What the template writes for an image; there where messages have images. */
			readonly imageMark?: string;
			/** The images of all messages in their order; only the model itself needs them. */
			readonly images?: readonly PromptImage[];
			/** Its tokens, where somebody has rendered and tokenised it already. */
			readonly tokens?: readonly number[];
	  }
	| { readonly kind: 'text'; readonly text: string }
	| { readonly kind: 'tokens'; readonly tokens: readonly number[] };
