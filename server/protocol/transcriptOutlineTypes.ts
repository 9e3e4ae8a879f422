/** A summary and chapters of a transcript. */

export interface TranscriptChapter {
	/** Seconds from the start of the recording. */
	readonly start: number;
	readonly title: string;
}

export interface TranscriptOutline {
	readonly summary: string;
	/** In the order of the recording; the first begins with the first line. */
	readonly chapters: readonly TranscriptChapter[];
	/** Name of the model that made it. */
	readonly model: string;
}
