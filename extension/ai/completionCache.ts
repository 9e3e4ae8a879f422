/** Completions that are known already, and those whose beginning has been typed meanwhile. */

interface Known {
	readonly scope: string;
	readonly prefix: string;
	readonly suffix: string;
	readonly text: string;
}

/** Completions kept; the oldest go first. */
const maxEntries = 100;

/** Characters of the text before and after that must agree. */
const sameBefore = 500;

export class CompletionCache {
	#entries: Known[] = [];

	add(scope: string, prefix: string, suffix: string, text: string): void {
		this.#entries = [{ scope, prefix, suffix, text }, ...this.#entries].slice(0, maxEntries);
	}

	/**
	 * What completes `prefix`: a completion of the same place, or the rest of one whose first
	 * characters have been typed since. `undefined` when the model has to be asked.
	 */
	find(scope: string, prefix: string, suffix: string): string | undefined {
		for (const known of this.#entries) {
			if (
				known.scope !== scope ||
				known.suffix.slice(0, sameBefore) !== suffix.slice(0, sameBefore)
			)
				continue;
			const anchor = known.prefix.slice(-sameBefore);
			const at = prefix.lastIndexOf(anchor);
			if (at === -1) continue;
			const typed = prefix.slice(at + anchor.length);
			if (typed === '' || (known.text.startsWith(typed) && known.text !== typed)) {
				return known.text.slice(typed.length);
			}
		}
		return undefined;
	}
}
