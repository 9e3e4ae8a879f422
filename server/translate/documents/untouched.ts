/** Which elements of a markup document are left alone: code, and what is marked `translate="no"`. */

import { Nesting } from '../nesting.ts';

const untouched = new Set('script style pre code kbd samp var math textarea tt'.split(' '));
/** Words inside these are no words, whatever says that they are to be translated. */
const code = new Set(['script', 'style']);

/** Tells which elements are left alone while their start and end tags go by. */
export class Untouched {
	readonly #nesting = new Nesting();
	/** Of the elements that are open, from the outermost that is left alone or read against that. */
	readonly #kept: boolean[] = [];

	open(name: string, attributes: Readonly<Record<string, string>>): boolean {
		this.#nesting.open();
		this.#kept.push(this.#isKept(name, attributes));
		return this.now;
	}

	close(): void {
		this.#nesting.close();
		this.#kept.pop();
	}

	get now(): boolean {
		return this.#kept.at(-1) === true;
	}

	#isKept(name: string, attributes: Readonly<Record<string, string>>): boolean {
		if (code.has(name)) return true;
		const asked = attributes['translate'];
		if (asked === 'no' || (attributes['class'] ?? '').split(/\s+/).includes('notranslate'))
			return true;
		if (untouched.has(name)) return true;
		return asked !== 'yes' && this.now;
	}
}
