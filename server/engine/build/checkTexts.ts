/**
 * Tokenizer and chat template of a model that is to be built, read before its weights are: what cannot be read is
 * said after seconds, not after the hours that a large model takes to come.
 */

import { basename } from 'node:path';
import { AppError } from '../../protocol/index.ts';
import { readChatTemplate } from '../modelFiles/templateFile.ts';
import { TextThread } from '../text/textThread.ts';

/** What the finished model is asked to go on with. */
const text = 'The quick brown fox';

/**
 * @param folder with the model's small files
 * @param vocabularySize tokens that the weights know; absent: unknown
 * @throws AppError `unsupported_model` where they cannot be read or are of another model, or `too_expensive`
 */
export async function checkTexts(folder: string, vocabularySize?: number): Promise<void> {
	const thread = new TextThread({ folder, model: basename(folder) });
	try {
		const [ids = []] = await thread.request('encode', { texts: [text], addSpecial: true });
		if (ids.length === 0)
			throw new AppError(
				'unsupported_model',
				`The tokenizer makes no tokens of the text ${JSON.stringify(text)}, so it is none of this model. Take another build of the model.`,
			);
		// What reads not even plain text is refused when the finished model is asked.
		const fits = vocabularySize !== undefined && ids.every((id) => id < vocabularySize);
		if (fits && (await readChatTemplate(folder)) !== undefined)
			await checkChat(thread, vocabularySize);
	} finally {
		await thread.close();
	}
}

/** Tokens of a conversation are the template's as well as the text's. */
async function checkChat(thread: TextThread, vocabularySize: number): Promise<void> {
	const messages = [{ role: 'user' as const, content: text }];
	const prompt = { kind: 'chat' as const, messages };
	// Some templates want more than a question; what they say of one is no fault of the model.
	const rendered = await thread.request('render', { prompt }).catch((error: unknown) => {
		if (error instanceof AppError && error.code === 'invalid_request') return '';
		throw error;
	});
	const [ids = []] = await thread.request('encode', { texts: [rendered], addSpecial: false });
	const wrong = ids.find((id) => id >= vocabularySize);
	if (wrong === undefined) return;
	const [bytes] = await thread.request('bytes', { tokens: [wrong], skipSpecial: false });
	const name = JSON.stringify(new TextDecoder().decode(bytes).slice(0, 100));
	throw new AppError(
		'unsupported_model',
		`The chat template of the model writes ${name}, which its tokenizer reads as token ${wrong}, and the model has ${vocabularySize} tokens: no chat could be read. Take another build of the model.`,
	);
}
