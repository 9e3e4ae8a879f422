/** Loads the text side of a model folder: tokenizer and chat template, no ONNX Runtime. */

import { Tokenizer } from '@huggingface/tokenizers';
import { AppError } from '../../protocol/index.ts';
import type { GeneratePrompt, TextModel } from '../api.ts';
import { readJsonFile } from '../folder/json.ts';
import { readChatTemplate } from '../folder/templateFile.ts';
import { ChatTemplate } from '../template/chatTemplate.ts';

/**
 * Loads tokenizer and template of a folder.
 * @throws AppError `unsupported_model` when the folder has no tokenizer that can be read
 */
export async function loadTextModel(folder: string): Promise<TextModel> {
	const json = await readJsonFile(folder, 'tokenizer.json');
	if (json === undefined)
		throw new AppError('unsupported_model', 'The model has no tokenizer.json.');
	const config = (await readJsonFile(folder, 'tokenizer_config.json')) ?? {};
	const tokenizer = new Tokenizer(json, config);
	const source = await readChatTemplate(folder);
	const template = source === undefined ? undefined : new ChatTemplate(source, config);
	const added = tokenizer.get_added_tokens_decoder();
	const specialIds = new Set<number>();
	for (const [id, token] of added) if (token.special) specialIds.add(id);
	const model: TextModel = {
		encode: (text, options) =>
			tokenizer.encode(text, { add_special_tokens: options?.addSpecial ?? true }).ids,
		encodeWithOffsets: () => {
			throw new AppError('not_supported', 'Offsets are not available.');
		},
		decode: (ids, options) =>
			tokenizer.decode([...ids], {
				skip_special_tokens: options?.skipSpecial ?? true,
				clean_up_tokenization_spaces: false,
			}),
		tokenBytes: (id) => tokenBytes(tokenizer.id_to_token(id) ?? '', added.has(id)),
		tokenToId: (token) => tokenizer.token_to_id(token),
		specialIds,
		vocabularySize: tokenizer.get_vocab(true).size,
		renderChat: (prompt, addGenerationPrompt = true) => {
			if (template === undefined) {
				throw new AppError('invalid_request', 'This model has no chat template.');
			}
			return template.render(prompt, addGenerationPrompt);
		},
		promptTokens: (prompt: GeneratePrompt): number[] => {
			if (prompt.kind === 'tokens') return [...prompt.tokens];
			if (prompt.kind === 'text') return model.encode(prompt.text);
			return model.encode(model.renderChat(prompt, true), { addSpecial: false });
		},
	};
	return model;
}

function tokenBytes(token: string, added: boolean): Uint8Array {
	if (added) return Buffer.from(token, 'utf8');
	const byte = /^<0x([0-9A-F]{2})>$/.exec(token);
	if (byte !== null) return Uint8Array.of(Number.parseInt(byte[1] as string, 16));
	return Buffer.from(token.replaceAll('\u2581', ' '), 'utf8');
}
