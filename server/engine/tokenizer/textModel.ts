/** Loads the text side of a model folder: tokenizer and chat template, no ONNX Runtime. */

import { AppError } from '../../protocol/index.ts';
import type { GeneratePrompt, TextModel } from '../api.ts';
import { readJsonFile } from '../folder/json.ts';
import { readChatTemplate } from '../folder/templateFile.ts';
import { ChatTemplate } from '../template/chatTemplate.ts';
import { readTokenizer, type Tokenizer } from './tokenizer.ts';

/**
 * Loads tokenizer and template of a folder.
 * @throws AppError `unsupported_model` when the folder has no tokenizer that can be read
 */
export async function loadTextModel(folder: string): Promise<TextModel> {
	const json = await readJsonFile(folder, 'tokenizer.json');
	if (json === undefined) {
		throw new AppError('unsupported_model', 'The model has no tokenizer.json.');
	}
	const config = (await readJsonFile(folder, 'tokenizer_config.json')) ?? {};
	const source = await readChatTemplate(folder);
	const template = source === undefined ? undefined : new ChatTemplate(source, config);
	return textModelOf(readTokenizer(json, config), template);
}

/** A text model over a tokenizer and, where there is one, a chat template. */
export function textModelOf(tokenizer: Tokenizer, template: ChatTemplate | undefined): TextModel {
	const model: TextModel = {
		encode: (text, options) => tokenizer.encode(text, options?.addSpecial ?? true),
		encodeWithOffsets: (text) => tokenizer.encodeWithOffsets(text),
		decode: (ids, options) => tokenizer.decode(ids, options?.skipSpecial ?? true),
		tokenBytes: (id) => tokenizer.tokenBytes(id),
		tokenToId: (token) => tokenizer.tokenToId(token),
		specialIds: tokenizer.specialIds,
		vocabularySize: tokenizer.vocabularySize,
		renderChat: (prompt, addGenerationPrompt = true) => {
			if (template === undefined) {
				throw new AppError('invalid_request', 'This model has no chat template.');
			}
			return template.render(prompt, addGenerationPrompt);
		},
		promptTokens: (prompt: GeneratePrompt): number[] => {
			if (prompt.kind === 'tokens') return [...prompt.tokens];
			if (prompt.kind === 'text') return tokenizer.encode(prompt.text, true);
			return tokenizer.encode(model.renderChat(prompt, true), false);
		},
	};
	return model;
}
