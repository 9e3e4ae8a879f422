/** What a speech model can be asked. */

/** A stretch of speech of at most the model's window (30 s for Whisper). */
export interface SpeechRequest {
	/** 16 kHz mono, −1…1. */
	readonly samples: Float32Array;
	readonly task: 'transcribe' | 'translate';
	/** ISO 639-1; absent = detect. */
	readonly language?: string;
	/** Text before this stretch, for context and spelling. */
	readonly prompt?: string;
	readonly temperature: number;
	readonly seed: number;
	readonly timestamps: 'none' | 'segment' | 'word';
	readonly priority: 'interactive' | 'batch';
	/** Whose turn it takes; see `Owned`. */
	readonly owner?: string | undefined;
	/** A later stretch of a recording that was let in: it waits for its turn, but is never refused. */
	readonly isPart?: boolean;
}

export interface SpeechToken {
	readonly id: number;
	readonly logprob: number;
}

export interface SpeechResult {
	readonly language: string;
	readonly languageProbability: number;
	readonly noSpeechProb: number;
	/** The temperature whose text was believed. */
	readonly temperature: number;
	readonly tokens: readonly SpeechToken[];
	readonly text: string;
	/** Seconds that are dealt with: words cut off by the end of the stretch come after it. */
	readonly consumedS: number;
	/** Seconds the model hears at once; what lies beyond in the samples was not heard. */
	readonly windowS: number;
	/** Seconds relative to the start of the samples. */
	readonly segments: readonly {
		readonly start: number;
		readonly end: number;
		readonly text: string;
		readonly tokens: readonly number[];
		readonly avgLogprob: number;
	}[];
	readonly words?: readonly {
		readonly word: string;
		readonly start: number;
		readonly end: number;
		readonly probability: number;
	}[];
}

/** Ten seconds at most of 16 kHz mono samples. */
export interface SegmentSpeakersRequest {
	readonly samples: Float32Array;
}

export interface SegmentSpeakersResult {
	/** Of each frame (270 samples apart, the first around sample 495): nobody, 1, 2, 3, 1+2, 1+3, 2+3. */
	readonly classes: Uint8Array;
}

/** 16 kHz mono samples of one voice. */
export interface EmbedVoiceRequest {
	readonly samples: Float32Array;
}

export interface EmbedVoiceResult {
	/** Of any length and norm; voices are compared by the angle. */
	readonly vector: Float32Array;
}

/** Consecutive 16 kHz mono samples whose frames of 512 are judged. */
export interface VoiceRequest {
	readonly samples: Float32Array;
	/** What the call before gave back; absent at the start of a recording. */
	readonly state?: Float32Array;
}

export interface VoiceResult {
	/** Probability of speech per frame of 32 ms. */
	readonly probabilities: Float32Array;
	readonly state: Float32Array;
}
