/**
 * Entry point of a text thread: one model's tokenizer and template, one question after the other. The
 * files are read when a question needs them.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { asAppError, type ErrorWire, toErrorWire } from '../../protocol/index.ts';
import type { TextModel } from '../api.ts';
import { TemplateTooExpensive } from '../template/budget.ts';
import { isAboutTemplate, runTextJob, type TextJobName } from './textJobs.ts';
import type { TextAnswer, TextQuestion, TextThreadJob } from './textMessages.ts';
import {
	chatRenderer,
	loadTemplates,
	loadTokenizers,
	type Templates,
	type Tokenizers,
	textModelOf,
} from './textModel.ts';
import { type CostlyPart, costlyParts, tooExpensive } from './tooExpensive.ts';

const { folder, chatTemplate, model, atWork: shared } = workerData as TextThreadJob;
const part = new Int32Array(shared);
const atWork = (next: CostlyPart) => {
	part[0] = costlyParts.indexOf(next);
};
const port = parentPort;
const post = (answer: TextAnswer) => {
	const bytes = answer.kind === 'value' && answer.value instanceof Uint8Array ? answer.value : [];
	// Bytes change hands; whatever else is copied.
	port?.postMessage(answer, 'buffer' in bytes ? [bytes.buffer as ArrayBuffer] : []);
};

let templates: Templates | undefined;
let tokenizers: Tokenizers | undefined;

async function reading<T>(read: () => Promise<T>): Promise<T> {
	atWork('files');
	post({ kind: 'reading' });
	const found = await read();
	post({ kind: 'read' });
	return found;
}

/** What a question needs of the model. */
async function textFor(job: TextJobName): Promise<TextModel> {
	const tokenizersOf = async () => {
		tokenizers ??= await reading(() => loadTokenizers(folder));
		return tokenizers;
	};
	templates ??= await reading(() =>
		loadTemplates(folder, chatTemplate, async () => (await tokenizersOf()).source),
	);
	if (isAboutTemplate(job) && tokenizers === undefined)
		return { renderChat: chatRenderer(templates) } as TextModel;
	const { source, target } = await tokenizersOf();
	return textModelOf(source, { ...templates, target });
}

function wireOf(error: unknown): ErrorWire {
	if (error instanceof TemplateTooExpensive)
		return toErrorWire(tooExpensive('template', model, error.message, { cause: error }));
	// Too deep a nesting, too long a text or list: limits of the language itself.
	if (error instanceof RangeError)
		return toErrorWire(
			tooExpensive(costlyParts[part[0] ?? 0] ?? 'files', model, 'needed too much', {
				cause: error,
			}),
		);
	return toErrorWire(asAppError(error));
}

async function answer({ job, request }: TextQuestion): Promise<void> {
	try {
		const text = await textFor(job);
		post({ kind: 'value', value: runTextJob(text, job, request as never, atWork) });
	} catch (error) {
		post({ kind: 'error', error: wireOf(error) });
	}
}

port?.on('message', (question: TextQuestion) => void answer(question));
