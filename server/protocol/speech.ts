/** Speech: requests and results of transcription, in the shapes of the audio interface. */

export type {
	Transcript,
	TranscriptLogprob,
	TranscriptProgress,
	TranscriptSegment,
	TranscriptWord,
} from './routes/transcripts.ts';

export type TranscriptFormat = 'json' | 'text' | 'verbose_json' | 'srt' | 'vtt';
