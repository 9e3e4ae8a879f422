/** Renders a chat template exactly as the reference does. */

import { Template } from '@huggingface/jinja';
import { AppError } from '../../protocol/index.ts';
import type { GeneratePrompt } from '../api.ts';
import { asRecord, asString, type JsonRecord } from '../folder/json.ts';

type ChatPrompt = Extract<GeneratePrompt, { kind: 'chat' }>;

/** A parsed template with the special tokens it may name. */
export class ChatTemplate {
	readonly #template: Template;
	readonly #tokens: Readonly<Record<string, string>>;

	constructor(source: string, config: JsonRecord) {
		this.#template = new Template(source);
		this.#tokens = specialTokens(config);
	}

	/** The prompt text. @throws AppError `invalid_request` with the template's own words */
	render(prompt: ChatPrompt, addGenerationPrompt: boolean): string {
		try {
			return this.#template.render({
				...this.#tokens,
				...prompt.templateVariables,
				messages: prompt.messages,
				...(prompt.tools === undefined ? {} : { tools: prompt.tools }),
				add_generation_prompt: addGenerationPrompt,
			});
		} catch (error) {
			const why = error instanceof Error ? error.message : String(error);
			throw new AppError('invalid_request', `The model's chat template refuses this: ${why}`, {
				param: 'messages',
				cause: error,
			});
		}
	}
}

function specialTokens(config: JsonRecord): Record<string, string> {
	const tokens: Record<string, string> = {};
	for (const [key, value] of Object.entries(config)) {
		if (!key.endsWith('_token')) continue;
		const content = asString(value) ?? asString(asRecord(value)?.content);
		if (content !== undefined) tokens[key] = content;
	}
	return tokens;
}
