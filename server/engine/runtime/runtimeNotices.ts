/** What is to be said of a model because of the runtime it is loaded with. */

import type { ModelNotice } from '../../protocol/index.ts';
import type { Runtime } from './runtime.ts';

/**
 * Which kernel products of 4-bit weights run on, and why; `undefined` where the runtime has no own ones at all.
 * @param unsuited why the graph does not use the own one
 */
export function kernelNotice(
	{ kernel }: Runtime,
	isUsed: boolean,
	unsuited?: string,
): string | undefined {
	if (kernel === undefined) return undefined;
	if (isUsed && 'instructions' in kernel)
		return `Products of 4-bit weights run on Nearglot's own kernel (${kernel.instructions}).`;
	const reason = 'refused' in kernel ? kernel.refused : unsuited;
	return `Products of 4-bit weights run on ONNX Runtime's kernel${reason === undefined ? '' : `: ${reason}`}.`;
}

/** Empty for the C API; a fault where `session.run` stands in for it, a note where it was asked for. */
export function runtimeNotices({ kind, fallbackReason: reason }: Runtime): ModelNotice[] {
	if (kind === 'c-api') return [];
	if (reason === undefined)
		return [{ kind: 'note', message: 'Models run through session.run, as was asked for.' }];
	return [
		{
			kind: 'fallback',
			reason,
			message:
				`Models run slower than they could, through session.run: ${reason}. ` +
				'Answers are the same, but come later, and a long run does not stop at once. ' +
				'Install Nearglot again; if this stays, report it.',
		},
	];
}
