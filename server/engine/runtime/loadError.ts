/** Turns what ONNX Runtime says when a graph does not load or run into a message a person can act on. */

import { basename, win32 } from 'node:path';
import { AppError } from '../../protocol/index.ts';
import { saysOutOfMemory } from '../../protocol/outOfMemory.ts';
import { unsent } from '../../protocol/unsent.ts';
import type { GraphSource } from '../modelFiles/graphSource.ts';

/** Letters of a path that Windows' own functions take. */
const maxWindowsPath = 259;

/** Adds what may help where Windows does not find weights beside a graph: the path is too long, or the drive an odd one. */
function pathAdvised(said: string, graph: GraphSource, platform: NodeJS.Platform): string {
	const path = typeof graph === 'string' ? graph : win32.join(graph.folder, graph.name);
	if (platform !== 'win32') return said;
	const begin = said.replace(/\.$/, '');
	if (path.length > maxWindowsPath)
		return `${begin}. Its path has ${path.length} letters, and parts of Windows take ${maxWindowsPath} at most: move the models to a folder with a shorter path (nearglot models move).`;
	// On drives that programs put up Windows has no answer to what the library asks of each file of weights.
	return said.includes('canonical path')
		? `${begin}. The drive does not tell Windows where its files really are: move the models to another one (nearglot models move).`
		: said;
}

/** Error of loading a graph: `unsupported_model`, or `out_of_memory`. */
export function loadError(
	graph: GraphSource,
	cause: unknown,
	platform: NodeJS.Platform = process.platform,
): AppError {
	const path = typeof graph === 'string' ? graph : graph.name;
	if (saysOutOfMemory(cause)) {
		return new AppError(
			'out_of_memory',
			`There is not enough memory to load ${basename(path)}. Unload another model or choose a smaller one.`,
			{ ...unsent, cause },
		);
	}
	return new AppError(
		'unsupported_model',
		`The graph file ${path} cannot be loaded: ${pathAdvised(said(cause).slice(0, 600), graph, platform)}`,
		{ cause, data: { file: path } },
	);
}

/**
 * Error of a run: `cancelled`, `out_of_memory`, or `internal`. What the runtime says is for programmers, and
 * may hold paths and shapes: it stays in the cause.
 */
export function runError(cause: unknown): AppError {
	if (cause instanceof AppError) return cause;
	if (isTerminated(cause)) return new AppError('cancelled', undefined, { cause });
	if (saysOutOfMemory(cause))
		return new AppError(
			'out_of_memory',
			'There was not enough memory for this request. Unload another model, or send a shorter request.',
			{ cause },
		);
	return new AppError(
		'internal',
		"The model's graph failed while it ran. Load the model again; if it fails again, choose another variant or export of it.",
		{ cause },
	);
}

/** What the library said, without the name of the function that was called. */
function said(cause: unknown): string {
	const text = cause instanceof Error ? cause.message : String(cause);
	return text
		.replace(/^[A-Z]\w+: /, '')
		.replace(/\s+/g, ' ')
		.trim();
}

/** True if the error is the one a terminated run gives. */
function isTerminated(error: unknown): boolean {
	return error instanceof Error && /terminate flag/i.test(error.message);
}
