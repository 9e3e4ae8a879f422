/** Loads the text side of a model folder: tokenizer and chat template, no ONNX Runtime. */

import { AppError } from '../../protocol/index.ts';
import type { GeneratePrompt, TextModel } from '../api.ts';
import { readJsonFile } from '../modelFiles/json.ts';
import { readChatTemplate } from '../modelFiles/templateFile.ts';
import { ChatTemplate } from '../template/chatTemplate.ts';
import { isMarker } from '../template/markers.ts';
import { loadTokenizer, readOrRefuse } from '../tokenizer/loadTokenizer.ts';
import { readMarian } from '../tokenizer/marian.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';

/**
 * Loads tokenizer and template of a folder. Of a Marian folder, encoding is the source side and
 * decoding the target side.
 * @param fallbackTemplate Jinja source for a model that has no chat template of its own
 * @throws AppError `unsupported_model` when the folder has no tokenizer that can be read
 */
export async function loadTextModel(folder: string, fallbackTemplate?: string): Promise<TextModel> {
	const { source, target } = await loadTokenizers(folder);
	const templates = await loadTemplates(folder, fallbackTemplate, async () => source);
	return textModelOf(source, { target, ...templates });
}

export interface Tokenizers {
	readonly source: Tokenizer;
	/** Tokenizer of the ids the model generates, when it is another one. */
	readonly target: Tokenizer | undefined;
}

/** Loads the tokenizers alone; errors as {@link loadTextModel}. */
export async function loadTokenizers(folder: string): Promise<Tokenizers> {
	const config = (await readJsonFile(folder, 'tokenizer_config.json')) ?? {};
	const marian = await readOrRefuse(() => readMarian(folder, config));
	return {
		source: marian?.source ?? (await loadTokenizer(folder)),
		target: marian?.target,
	};
}

/** The chat templates of a model folder. */
export interface Templates {
	readonly template?: ChatTemplate | undefined;
	/** Template for prompts with tools, when it is another one. */
	readonly toolTemplate?: ChatTemplate | undefined;
}

/**
 * Loads the templates alone; parameters as {@link loadTextModel}.
 * @param tokenizer asked only by templates that write the tokens the tokenizer puts before a text
 */
export async function loadTemplates(
	folder: string,
	fallbackTemplate: string | undefined,
	tokenizer: () => Promise<Tokenizer>,
): Promise<Templates> {
	const published = (await readJsonFile(folder, 'tokenizer_config.json')) ?? {};
	const plain = (await readChatTemplate(folder)) ?? fallbackTemplate;
	const withTools = (await readChatTemplate(folder, true)) ?? fallbackTemplate;
	const asks = [plain, withTools].some((source) => source?.includes('start_token'));
	const config = asks ? { ...published, start_token: startOf(await tokenizer()) } : published;
	const template = plain === undefined ? undefined : new ChatTemplate(plain, config);
	const toolTemplate =
		withTools === undefined || withTools === plain ? template : new ChatTemplate(withTools, config);
	return { template, toolTemplate };
}

const startOf = (tokenizer: Tokenizer): string =>
	tokenizer.specialTokens.before.map((id) => tokenizer.token(id) ?? '').join('');

/** How chats are rendered by the templates of a folder. */
export function chatRenderer(templates: Templates): TextModel['renderChat'] {
	return (prompt, addGenerationPrompt = true) => {
		const hasTools = prompt.tools !== undefined && prompt.tools.length > 0;
		const template = hasTools ? templates.toolTemplate : templates.template;
		if (template === undefined) {
			throw new AppError(
				'invalid_request',
				'This model has no chat template, so it cannot chat. Use the completions route with plain text.',
				{ param: 'messages' },
			);
		}
		return template.render(prompt, addGenerationPrompt);
	};
}

/** What a text model may have beside its tokenizer. */
export interface TextModelParts extends Templates {
	/** Tokenizer of the ids the model generates, when it is another one. */
	readonly target?: Tokenizer | undefined;
}

/** A text model over a tokenizer and, where there is one, a chat template. */
export function textModelOf(tokenizer: Tokenizer, parts: TextModelParts = {}): TextModel {
	const target = parts.target ?? tokenizer;
	const { before, after } = tokenizer.specialTokens;
	const renderChat = chatRenderer(parts);
	return {
		encode: (text, options) => tokenizer.encode(text, options?.addSpecial ?? true),
		encodeWithOffsets: (text) => {
			const { ids, offsets } = tokenizer.encodeWithOffsets(text);
			return {
				ids: [...before, ...ids, ...after],
				offsets: [
					...before.map((): [number, number] => [0, 0]),
					...offsets,
					...after.map((): [number, number] => [text.length, text.length]),
				],
			};
		},
		decode: (ids, options) => target.decode(ids, options?.skipSpecial ?? true),
		tokenBytes: (id) => target.tokenBytes(id),
		tokenToId: (token) => tokenizer.tokenToId(token),
		specialIds: hiddenIds(target),
		vocabularySize: target.vocabularySize,
		isBounded: tokenizer.isBounded,
		pairTemplate: tokenizer.pairTemplate,
		renderChat,
		promptTokens: (prompt: GeneratePrompt): number[] => {
			if (prompt.kind === 'tokens') return [...prompt.tokens];
			if (prompt.kind === 'text') return tokenizer.encode(prompt.text, true);
			return [...(prompt.tokens ?? tokenizer.encode(renderChat(prompt, true), false))];
		},
	};
}

// Markers of tool calls and reasoning are special tokens in some vocabularies; the parsers need to see them.
function hiddenIds(tokenizer: Tokenizer): ReadonlySet<number> {
	const hidden = new Set<number>();
	const has = (token: string) => tokenizer.tokenToId(token) !== undefined;
	for (const id of tokenizer.specialIds) {
		if (!isMarker(tokenizer.token(id) ?? '', has)) hidden.add(id);
	}
	return hidden;
}
