/** Which elements of a markup document are left alone: code, and what is marked `translate="no"`. */

import { Nesting } from '../nesting.ts';

const untouched = new Set(
	'script style pre code kbd samp var math svg textarea noscript template tt'.split(' '),
);

/** Tells which elements are left alone while their start and end tags go by. */
export class Untouched {
	readonly #nesting = new Nesting();
	#depth = 0;

	open(name: string, attributes: Readonly<Record<string, string>>): boolean {
		this.#nesting.open();
		const marked =
			untouched.has(name) ||
			attributes['translate'] === 'no' ||
			(attributes['class'] ?? '').split(/\s+/).includes('notranslate');
		if (this.#depth > 0 || marked) this.#depth++;
		return this.#depth > 0;
	}

	close(): void {
		this.#nesting.close();
		if (this.#depth > 0) this.#depth--;
	}

	get now(): boolean {
		return this.#depth > 0;
	}
}
