/**
 * Tokenizer and chat template of a model that is to be built, read before its weights are: what cannot be read is
 * said after seconds, not after the hours that a large model takes to come.
 */

import { basename } from 'node:path';
import { TextThread } from '../text/textThread.ts';

/**
 * @param folder with the model's small files
 * @throws AppError `unsupported_model` where they cannot be read, or `too_expensive`
 */
export async function checkTexts(folder: string): Promise<void> {
	const thread = new TextThread({ folder, model: basename(folder) });
	try {
		await thread.request('encode', { texts: ['a'], addSpecial: true });
	} finally {
		await thread.close();
	}
}
