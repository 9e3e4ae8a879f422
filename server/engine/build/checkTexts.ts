/**
 * Tokenizer and chat template of a model that is to be built, read before its weights are: what cannot be read is
 * said after seconds, not after the hours that a large model takes to come.
 */

import { basename } from 'node:path';
import { AppError } from '../../protocol/index.ts';
import { TextThread } from '../text/textThread.ts';

/** What the finished model is asked to go on with. */
const text = 'The quick brown fox';

/**
 * @param folder with the model's small files
 * @throws AppError `unsupported_model` where they cannot be read, or `too_expensive`
 */
export async function checkTexts(folder: string): Promise<void> {
	const thread = new TextThread({ folder, model: basename(folder) });
	try {
		const [ids = []] = await thread.request('encode', { texts: [text], addSpecial: true });
		if (ids.length === 0)
			throw new AppError(
				'unsupported_model',
				`The tokenizer makes no tokens of the text ${JSON.stringify(text)}, so it is none of this model. Take another build of the model.`,
			);
	} finally {
		await thread.close();
	}
}
