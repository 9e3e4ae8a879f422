/** Opens the tiny reference models for tests. */

import type { SpeechRequest } from '../../server/engine/api.ts';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { chooseVariant } from '../../server/engine/modelFiles/variants.ts';
import type { EncoderDecoder } from '../../server/engine/seq2seq/encoderDecoder.ts';
import { openEncoderDecoder } from '../../server/engine/seq2seq/openEncoderDecoder.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import type { Precision } from '../../server/protocol/index.ts';

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
