/** What is to be said of a model because of the runtime it is loaded with. */

import type { ModelNotice } from '../../protocol/index.ts';
import type { Runtime } from './runtime.ts';

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
