/** A transcript in the format that was asked for. */

import { defined } from '../../protocol/defined.ts';
import {
	cuesOf,
	subRip,
	type Transcript,
	type TranscriptFormat,
	webVtt,
} from '../../protocol/index.ts';

/** Text, or a value that is sent as JSON. */
export type RenderedTranscript =
	| { readonly contentType: string; readonly body: string }
	| { readonly value: unknown };

export interface RenderParts {
	/** Whether `verbose_json` lists segments. */
	readonly segments: boolean;
}

/** Seconds that count as used. */
export const speechUsageOf = (transcript: Transcript) => ({
	type: 'duration' as const,
	seconds: Math.ceil(transcript.duration),
});

/** A transcript as a file has it. */
export function transcriptText(transcript: Transcript, format: TranscriptFormat): string {
	const rendered = renderTranscript(transcript, format);
	return 'body' in rendered ? rendered.body : JSON.stringify(rendered.value);
}

/** A segment as `diarized_json` has it; of nobody where nobody was found to speak. */
export const diarizedSegment = ({
	id,
	start,
	end,
	text,
	speaker = '',
}: Transcript['segments'][number]) => ({
	type: 'transcript.text.segment' as const,
	id: `seg_${String(id + 1).padStart(3, '0')}`,
	...{ start, end, text, speaker },
});

/** Renders; JSON values carry `usage`. */
export function renderTranscript(
	transcript: Transcript,
	format: TranscriptFormat,
	{ segments }: RenderParts = { segments: true },
): RenderedTranscript {
	switch (format) {
		case 'json':
			return {
				value: {
					text: transcript.text,
					...defined({ logprobs: transcript.logprobs }),
					usage: speechUsageOf(transcript),
				},
			};
		case 'verbose_json': {
			const { segments: list, ...rest } = transcript;
			return {
				value: {
					...rest,
					...(segments ? { segments: list } : {}),
					usage: speechUsageOf(transcript),
				},
			};
		}
		case 'diarized_json':
			return {
				value: {
					task: transcript.task,
					duration: transcript.duration,
					text: transcript.text,
					segments: transcript.segments.map(diarizedSegment),
					usage: speechUsageOf(transcript),
				},
			};
		case 'text':
			return { contentType: 'text/plain; charset=utf-8', body: `${transcript.text}\n` };
		case 'srt':
			return { contentType: 'text/plain; charset=utf-8', body: subRip(cuesOf(transcript)) };
		case 'vtt':
			return { contentType: 'text/vtt; charset=utf-8', body: webVtt(cuesOf(transcript)) };
	}
}
