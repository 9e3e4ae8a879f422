/** Streams of JSON values, one a line, as Ollama's clients read them. */

import { ollamaError } from '../protocol/routes/errorShapes.ts';
import { type StreamedOptions, streamedAnswer } from './streamedAnswer.ts';

/** As {@link streamedAnswer}; a line that is no answer does not exist, so silence is silent. */
export function ndjson(
	options: StreamedOptions,
	produce: (line: (value: object) => void, signal: AbortSignal) => Promise<void>,
): Promise<Response> {
	return streamedAnswer(
		{
			contentType: 'application/x-ndjson',
			error: (error) => `${JSON.stringify(ollamaError(error))}\n`,
		},
		options,
		(write, signal) => produce((value) => write(`${JSON.stringify(value)}\n`), signal),
	);
}
