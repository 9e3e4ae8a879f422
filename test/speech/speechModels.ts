/** Opens the tiny reference models for tests; absent data means a skipped test. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SpeechRequest } from '../../server/engine/api.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { chooseVariant } from '../../server/engine/modelFiles/variants.ts';
import type { EncoderDecoder } from '../../server/engine/seq2seq/encoderDecoder.ts';
import { openEncoderDecoder } from '../../server/engine/seq2seq/openEncoderDecoder.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import type { Precision } from '../../server/protocol/index.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const shared = process.env.NEARGLOT_SHARED ?? join(root, '..', 'shared');

/** A folder of the shared data, or a reason to skip. */
export function sharedFolder(...parts: string[]): {
	readonly path: string;
	readonly skip: string | false;
} {
	const path = join(shared, 'data', ...parts);
	return {
		path,
		skip: existsSync(path) ? false : `there is no ${parts.join('/')} in the shared data`,
	};
}

/** Opens graphs and tokenizer of a folder. */
export async function openGraphs(folder: string, precision: Precision = 'fp32', threads = 1) {
	const description = await describeModel(folder);
	const variant = chooseVariant(description.variants, description.architecture, precision);
	if (variant === undefined) throw new Error(`no ${precision} in ${folder}`);
	const model: EncoderDecoder = await openEncoderDecoder({
		description,
		variant,
		runtime: await openRuntime(),
		session: { threads, executionProvider: 'cpu' },
		...(description.task === 'automatic-speech-recognition' ? { encoderBatchSize: 1 } : {}),
	});
	return { model, description, text: await loadTextModel(folder) };
}

/** Samples of a 16-bit mono wave file with the plain 44-byte header. */
export function wavSamples(path: string): Float32Array {
	const bytes = readFileSync(path);
	return Float32Array.from(
		{ length: (bytes.length - 44) >> 1 },
		(_, i) => bytes.readInt16LE(44 + 2 * i) / 32_768,
	);
}

export function speechRequest(
	samples: Float32Array,
	more: Partial<SpeechRequest> = {},
): SpeechRequest {
	return {
		samples,
		task: 'transcribe',
		temperature: 0,
		seed: 1,
		timestamps: 'segment',
		priority: 'interactive',
		...more,
	};
}
