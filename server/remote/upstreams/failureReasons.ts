/** What everybody hears of the failures of an engine elsewhere, once it is left alone for them. */

import { createHash } from 'node:crypto';
import type { AppError } from '../../protocol/index.ts';
import { shownUpstream, WordsOfEngine } from './upstreamErrors.ts';
import type { UpstreamEntry } from './upstreamFile.ts';

export class FailureReasons {
	readonly #who: string;
	#last: { readonly words: string; readonly request: string } | undefined;

	constructor(entry: Pick<UpstreamEntry, 'name' | 'url'>) {
		this.#who = `${shownUpstream(entry)} `;
	}

	/**
	 * Notes a failure. The words of an engine may quote the request or its answer, which are for nobody else: they are told
	 * where it has said the same of another request.
	 * @param request what was sent; the same for what cannot be compared
	 * @returns a sentence without the name of the engine
	 */
	note(failure: AppError, request: string): string {
		const { message } = failure;
		const reason = message.startsWith(this.#who) ? message.slice(this.#who.length) : message;
		if (!(failure instanceof WordsOfEngine) || failure.words === '') return ended(reason);
		const { words } = failure;
		const now = { words, request: createHash('sha256').update(request).digest('hex') };
		const isOfAll = this.#last?.words === words && this.#last.request !== now.request;
		this.#last = now;
		return ended(isOfAll ? reason : reason.slice(0, -`: ${words}`.length));
	}
}

const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
