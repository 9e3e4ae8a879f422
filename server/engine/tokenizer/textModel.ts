/** Loads the text side of a model folder: tokenizer and chat template, no ONNX Runtime. */

import { AppError } from '../../protocol/index.ts';
import type { GeneratePrompt, TextModel } from '../api.ts';
import { readJsonFile } from '../folder/json.ts';
import { readChatTemplate } from '../folder/templateFile.ts';
import { ChatTemplate } from '../template/chatTemplate.ts';
import { isMarker } from '../template/markers.ts';
import { loadTokenizer } from './loadTokenizer.ts';
import { readMarian } from './marian.ts';
import type { Tokenizer } from './tokenizer.ts';

/**
 * Loads tokenizer and template of a folder. Of a Marian folder, encoding is the source side and
 * decoding the target side.
 * @param fallbackTemplate Jinja source for a model that has no chat template of its own
 * @throws AppError `unsupported_model` when the folder has no tokenizer that can be read
 */
export async function loadTextModel(folder: string, fallbackTemplate?: string): Promise<TextModel> {
	const config = (await readJsonFile(folder, 'tokenizer_config.json')) ?? {};
	const marian = await readMarian(folder, config);
	const source = marian?.source ?? (await loadTokenizer(folder));
	const plain = (await readChatTemplate(folder)) ?? fallbackTemplate;
	const withTools = (await readChatTemplate(folder, true)) ?? fallbackTemplate;
	const template = plain === undefined ? undefined : new ChatTemplate(plain, config);
	const toolTemplate =
		withTools === undefined || withTools === plain ? template : new ChatTemplate(withTools, config);
	return textModelOf(source, { target: marian?.target, template, toolTemplate });
}

/** What a text model may have beside its tokenizer. */
export interface TextModelParts {
	/** Tokenizer of the ids the model generates, when it is another one. */
	readonly target?: Tokenizer | undefined;
	readonly template?: ChatTemplate | undefined;
	/** Template for prompts with tools, when it is another one. */
	readonly toolTemplate?: ChatTemplate | undefined;
}

/** A text model over a tokenizer and, where there is one, a chat template. */
export function textModelOf(tokenizer: Tokenizer, parts: TextModelParts = {}): TextModel {
	const target = parts.target ?? tokenizer;
	const { before, after } = tokenizer.wrapping;
	const renderChat: TextModel['renderChat'] = (prompt, addGenerationPrompt = true) => {
		const hasTools = prompt.tools !== undefined && prompt.tools.length > 0;
		const template = hasTools ? parts.toolTemplate : parts.template;
		if (template === undefined) {
			throw new AppError(
				'invalid_request',
				'This model has no chat template, so it cannot chat. Use the completions route with plain text.',
				{ param: 'messages' },
			);
		}
		return template.render(prompt, addGenerationPrompt);
	};
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
		renderChat,
		promptTokens: (prompt: GeneratePrompt): number[] => {
			if (prompt.kind === 'tokens') return [...prompt.tokens];
			if (prompt.kind === 'text') return tokenizer.encode(prompt.text, true);
			return tokenizer.encode(renderChat(prompt, true), false);
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
