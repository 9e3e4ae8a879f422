/** What telling the language of a text comes to. */

export interface DetectedLanguage {
	readonly language: string;
	/** 0…1; exactly 1 when there is no doubt, 0 when nothing could be told. */
	readonly score: number;
	readonly alternatives: readonly { readonly language: string; readonly score: number }[];
}

export type LanguageDetector = (
	text: string,
	likely?: readonly string[],
) => Promise<DetectedLanguage>;
