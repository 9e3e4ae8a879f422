/** A part of a document that has words for people. */

export interface Prose {
	readonly kind: 'comment' | 'docstring' | 'string' | 'text';
	/** Offsets in UTF-16 units; of a comment from the first marker on. */
	readonly start: number;
	readonly end: number;
}
