/** Renders chats as the reference does, and helps templates that know less than a chat needs. */

import { AppError } from '../../protocol/index.ts';
import type { GeneratePrompt } from '../api.ts';
import { asRecord, asString, type JsonRecord } from '../modelFiles/json.ts';
import { asTooExpensive, withinBudget } from './budget.ts';
import { type CompiledTemplate, compileTemplate } from './jinja.ts';
import {
	addToolPrompt,
	callsAsText,
	type Message,
	mergeSystemMessages,
	onePerMessage,
	shortIds,
	withArguments,
	withoutNulls,
	withParts,
} from './messages.ts';
import { detectCapabilities, type TemplateCapabilities } from './templateCapabilities.ts';
import { type ToolFormat, toolFormatOf } from './toolFormat.ts';

type ChatPrompt = Extract<GeneratePrompt, { kind: 'chat' }>;

/** A parsed template with the special tokens it may name. */
export class ChatTemplate {
	readonly #source: string;
	readonly #template: CompiledTemplate;
	readonly #tokens: Readonly<Record<string, string>>;
	readonly #format: ToolFormat;
	#capabilities: TemplateCapabilities | undefined;

	/**
	 * @param config the tokenizer_config.json
	 * @throws AppError `unsupported_model` when the template's syntax cannot be read
	 */
	constructor(source: string, config: JsonRecord) {
		this.#source = source;
		this.#tokens = specialTokens(config);
		this.#format = toolFormatOf(source);
		try {
			this.#template = compileTemplate(source);
		} catch (error) {
			throw new AppError(
				'unsupported_model',
				`The model's chat template cannot be read (${messageOf(error)}). Take another version of the model.`,
				{ cause: error },
			);
		}
	}

	/** What the template can express, found by trying it out once. */
	get capabilities(): TemplateCapabilities {
		this.#capabilities ??= detectCapabilities(this.#source, (variables) => this.#run(variables));
		return this.#capabilities;
	}

	/**
	 * The prompt text.
	 * @throws AppError `invalid_request` with the template's own words when it refuses the messages
	 * @throws TemplateTooExpensive
	 */
	render(prompt: ChatPrompt, addGenerationPrompt: boolean): string {
		return withinBudget(() => this.#render(prompt, addGenerationPrompt));
	}

	#render(prompt: ChatPrompt, addGenerationPrompt: boolean): string {
		const tools = prompt.tools !== undefined && prompt.tools.length > 0 ? prompt.tools : undefined;
		let messages: Message[] = prompt.messages.map((message) => ({ ...message }));
		const hasCalls = messages.some((message) => message.tool_calls !== undefined);
		const usesTools = tools !== undefined || hasCalls || messages.some(isToolResult);
		const { capabilities } = this;
		const isNative = capabilities.tools === 'native';
		if (usesTools && !capabilities.calls) messages = callsAsText(messages, this.#format);
		else if (hasCalls) {
			messages = withArguments(messages, capabilities.objectArguments);
			if (capabilities.shortIds) messages = shortIds(messages);
		}
		if (tools !== undefined && capabilities.tools !== 'native') {
			messages = addToolPrompt(messages, tools, this.#format, capabilities.tools);
		}
		if (!capabilities.system) messages = mergeSystemMessages(messages);
		const variables = {
			...prompt.templateVariables,
			tools: isNative ? (tools ?? null) : null,
			documents: prompt.templateVariables?.documents ?? null,
			add_generation_prompt: addGenerationPrompt,
		};
		const attempts = [messages, withoutNulls(messages), onePerMessage(withoutNulls(messages))];
		let refusal: unknown;
		for (const attempt of hasCalls ? attempts : attempts.slice(0, 2)) {
			try {
				const hasImages = attempt.some(({ images }) => images !== undefined);
				const written =
					hasImages || capabilities.needsParts ? attempt.map((each) => withParts(each)) : attempt;
				return this.#run({ ...variables, messages: written });
			} catch (error) {
				const beyond = asTooExpensive(error);
				if (beyond !== undefined) throw beyond;
				refusal ??= error;
			}
		}
		throw new AppError(
			'invalid_request',
			`The model's chat template refuses these messages: ${messageOf(refusal)}`,
			{ param: 'messages', cause: refusal },
		);
	}

	#run(variables: Readonly<Record<string, unknown>>): string {
		// Two names that templates made before `tools` became the custom use.
		const older = {
			functions: JSON.stringify(variables.tools ?? [], undefined, 4),
			datetime: new Date().toDateString(),
		};
		return this.#template.render({ ...older, ...this.#tokens, ...variables });
	}
}

function isToolResult(message: Message): boolean {
	return message.role === 'tool' || message.role === 'function';
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
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
