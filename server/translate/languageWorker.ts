/** Entry point of the language thread; it is started with the folder of data files that came later. */

import { parentPort, workerData } from 'node:worker_threads';
import { toErrorWire } from '../protocol/errorWire.ts';
import { addAssetFolder } from './asset.ts';
import type { LanguageAnswer, LanguageQuestion } from './languageThread.ts';
import { languageToolsHere } from './languageTools.ts';

addAssetFolder(workerData as string);

async function answer({ id, tool, given }: LanguageQuestion): Promise<LanguageAnswer> {
	try {
		const run = languageToolsHere[tool] as (
			...given: LanguageQuestion['given']
		) => Promise<unknown>;
		return { id, value: await run(...given) };
	} catch (error) {
		return { id, error: toErrorWire(error) };
	}
}

parentPort?.on('message', (question: LanguageQuestion) => {
	void answer(question).then((found) => parentPort?.postMessage(found));
});
