/**
 * How much the body of a route may hold. Every value and field costs time wherever it goes, the event loop
 * among it, so a route that asks for no more gets what settings and names need.
 */

export interface BodyLimits {
	/** Size of the body. */
	readonly bytes: number;
	/** Values of a JSON body, those in lists and objects among them. */
	readonly values: number;
	/** Fields of all objects of a JSON body, or of a form; these cost far more than other values. */
	readonly fields: number;
}

const mib = 1024 * 1024;

/** A few names and texts. */
export const smallBody: BodyLimits = { bytes: mib, values: 1000, fields: 300 };
/** Thousands of messages, and tools with their schemas. */
export const chatBody: BodyLimits = { bytes: 8 * mib, values: 100_000, fields: 20_000 };
/** Prompts as lists of token ids. */
export const tokensBody: BodyLimits = { bytes: 8 * mib, values: 400_000, fields: 3000 };
/** One document as a text. */
export const documentBody: BodyLimits = { bytes: 24 * mib, values: 100, fields: 50 };
/** A thousand texts; 50,000 units of text in the longest escapes, and room for the frame. */
export const textsBody: BodyLimits = { bytes: 4 * mib, values: 15_000, fields: 10_000 };

/** The same, as a form. */
export const formBody: BodyLimits = { ...textsBody, fields: 100 };

/**
 * What is read for callers of whom nobody has said yet that they may use the route: room for a key that is
 * in the body, and small enough to be read on the spot.
 */
export const unadmittedBytes = 256 * 1024;
