/** Places and ranges in a document. */

/** A place in a document; both zero-based, `character` in UTF-16 units. */
export interface TextPosition {
	readonly line: number;
	readonly character: number;
}

export interface TextRange {
	readonly start: TextPosition;
	readonly end: TextPosition;
}
