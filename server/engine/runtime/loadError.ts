/** Turns what ONNX Runtime says when a graph does not load into a message a person can act on. */

import { basename } from 'node:path';
import { AppError } from '../../protocol/index.ts';

/** Error of loading the graph at `path`: `unsupported_model`, or `out_of_memory`. */
export function loadError(path: string, cause: unknown): AppError {
	const text = (cause instanceof Error ? cause.message : String(cause)).replace(/\s+/g, ' ').trim();
	if (/bad_alloc|failed to allocate|out of memory/i.test(text)) {
		return new AppError(
			'out_of_memory',
			`There is not enough memory to load ${basename(path)}. Unload another model or choose a smaller one.`,
			{ cause },
		);
	}
	return new AppError(
		'unsupported_model',
		`The graph file ${path} cannot be loaded: ${text.slice(0, 600)}`,
		{ cause, data: { file: path } },
	);
}

/** True when the error is the one a terminated run gives. */
export function isTerminated(error: unknown): boolean {
	return error instanceof Error && /terminate flag/i.test(error.message);
}
