/** A transcript in the format that was asked for. */

import {
	cuesOf,
	subRip,
	type Transcript,
	type TranscriptFormat,
	webVtt,
} from '../protocol/index.ts';

export interface Rendered {
	readonly contentType: string;
	readonly body: string;
}

export interface RenderParts {
	/** Whether `verbose_json` lists segments. */
	readonly segments: boolean;
}

/** Seconds that count as used. */
export const usageOf = (transcript: Transcript) => ({
	type: 'duration' as const,
	seconds: Math.ceil(transcript.duration),
});

/** Renders; JSON bodies carry `usage`. */
export function renderTranscript(
	transcript: Transcript,
	format: TranscriptFormat,
	{ segments }: RenderParts = { segments: true },
): Rendered {
	const json = (value: unknown): Rendered => ({
		contentType: 'application/json; charset=utf-8',
		body: JSON.stringify(value),
	});
	switch (format) {
		case 'json':
			return json({
				text: transcript.text,
				...(transcript.logprobs === undefined ? {} : { logprobs: transcript.logprobs }),
				usage: usageOf(transcript),
			});
		case 'verbose_json': {
			const { segments: list, ...rest } = transcript;
			return json({ ...rest, ...(segments ? { segments: list } : {}), usage: usageOf(transcript) });
		}
		case 'text':
			return { contentType: 'text/plain; charset=utf-8', body: `${transcript.text}\n` };
		case 'srt':
			return { contentType: 'text/plain; charset=utf-8', body: subRip(cuesOf(transcript)) };
		case 'vtt':
			return { contentType: 'text/vtt; charset=utf-8', body: webVtt(cuesOf(transcript)) };
	}
}
