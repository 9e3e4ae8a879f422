/** Speech: requests and results of transcription, in the shapes of the audio interface. */

export interface TranscriptWord {
	readonly word: string;
	/** Seconds from the start of the recording. */
	readonly start: number;
	readonly end: number;
}

export interface TranscriptSegment {
	readonly id: number;
	/** Offset of the window that produced the segment, in 10 ms frames. */
	readonly seek: number;
	/** Seconds from the start of the recording. */
	readonly start: number;
	readonly end: number;
	readonly text: string;
	readonly tokens: readonly number[];
	readonly temperature: number;
	/** Mean natural-log probability of the segment's tokens. */
	readonly avg_logprob: number;
	/** zlib ratio of the text; above 2.4 it is probably a repetition loop. */
	readonly compression_ratio: number;
	readonly no_speech_prob: number;
}

export interface Transcript {
	readonly task: 'transcribe' | 'translate';
	/** English name of the language, as the interface has it. */
	readonly language: string;
	/** ISO 639-1 code. */
	readonly language_code: string;
	/** Seconds. */
	readonly duration: number;
	readonly text: string;
	readonly segments: readonly TranscriptSegment[];
	readonly words?: readonly TranscriptWord[];
	readonly logprobs?: readonly TranscriptLogprob[];
}

/** One token of the text, in order. */
export interface TranscriptLogprob {
	readonly token: string;
	/** Natural logarithm. */
	readonly logprob: number;
	readonly bytes: readonly number[];
}

/** How far a transcription is, in seconds of the recording. */
export interface TranscriptProgress {
	readonly done: number;
	/** Absent while only decoding tells. */
	readonly total?: number;
}

export type TranscriptFormat = 'json' | 'text' | 'verbose_json' | 'srt' | 'vtt';
