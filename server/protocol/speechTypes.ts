/** Speech: requests and results of transcription, in the shapes of the audio interface. */

import type { transcriptFormats } from './routes/speechForm.ts';

export type {
	Transcript,
	TranscriptLogprob,
	TranscriptProgress,
	TranscriptSegment,
	TranscriptWord,
} from './routes/transcripts.ts';

export type TranscriptFormat = (typeof transcriptFormats)[number];
