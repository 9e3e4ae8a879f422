/** From classes of frames to turns, words of speakers, and names. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	exportTranscript,
	nameSpeaker,
	type Transcript,
	transcriptDocumentOf,
} from '../../../../server/protocol/index.ts';
import {
	speakerLabel,
	spokenSegments,
} from '../../../../server/services/speech/speakers/assignSpeakers.ts';
import { diarize } from '../../../../server/services/speech/speakers/diarize.ts';
import { speakerTurns } from '../../../../server/services/speech/speakers/speakerTurns.ts';
import { renderTranscript } from '../../../../server/services/speech/speechFormats.ts';

/** Two people as amplitudes: 0.2 is one, 0.5 another, 0.7 both. */
const frameSamples = 270;
const talk = (parts: readonly (readonly [value: number, seconds: number])[]) =>
	Float32Array.from(
		parts.flatMap(([value, seconds]) =>
			new Array<number>(Math.round(seconds * 16_000)).fill(value),
		),
	);

/** Tells them apart by amplitude; which of the three they are differs from window to window. */
function people() {
	let calls = 0;
	return {
		segmentation: {
			segmentSpeakers: async ({ samples }: { readonly samples: Float32Array }) => {
				const swap = calls++ % 2 === 1;
				const classes = Uint8Array.from(
					{ length: Math.floor((samples.length - 991) / frameSamples) + 1 },
					(_, frame) => {
						const value = Math.round(10 * (samples[frame * frameSamples + 495] ?? 0));
						const [first, second] = swap ? [3, 1] : [1, 2];
						return value === 2 ? first : value === 5 ? second : value === 7 ? (swap ? 5 : 4) : 0;
					},
				);
				return { classes };
			},
		},
		embedding: {
			embedVoice: async ({ samples }: { readonly samples: Float32Array }) => {
				const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
				return { vector: Float32Array.of(mean < 0.35 ? 1 : 0.1, mean < 0.35 ? 0.1 : 1) };
			},
		},
	};
}

async function* blocks(samples: Float32Array, length: number) {
	for (let at = 0; at < samples.length; at += length) yield samples.slice(at, at + length);
}

test('turns, overlap and voices that come again, in windows of any division', async () => {
	const sound = talk([
		...([
			[0, 1],
			[0.2, 4],
			[0, 1],
			[0.5, 5],
			[0.7, 1],
			[0.2, 6],
			[0, 8],
			[0.5, 3.3],
		] as const),
	]);
	for (const length of [7000, 64_000, sound.length]) {
		const turns = await diarize(blocks(sound, length), people());
		assert.deepEqual(
			turns.map(({ speaker, start, end }) => [
				speaker,
				Math.round(start * 10) / 10,
				Math.round(end * 10) / 10,
			]),
			[
				[0, 1, 5],
				[1, 6, 12],
				[0, 11, 18],
				[1, 26, 29.3],
			],
		);
	}
	assert.deepEqual(await diarize(blocks(new Float32Array(0), 100), people()), []);
	assert.deepEqual(await diarize(blocks(new Float32Array(500), 100), people()), []);
});

test('windows that disagree are weighed, and slips are no turns', () => {
	const one = (classes: number[], startS = 0) => ({
		startS,
		classes: Uint8Array.from(classes),
		speakers: [0, 1, undefined],
	});
	const long = new Array<number>(60).fill(1);
	assert.deepEqual(speakerTurns([one(new Array<number>(60).fill(0)), one([2, 2])]), []);
	const [turn, ...others] = speakerTurns([
		one(long),
		one(long),
		one(new Array<number>(60).fill(2)),
	]);
	assert.deepEqual(others, []);
	assert.equal(turn?.speaker, 0);
	// Whoever speaks first is the first.
	const [early, late] = speakerTurns([one([...new Array<number>(30).fill(2), ...long])]);
	assert.deepEqual([early?.speaker, late?.speaker], [0, 1]);
	// A voice that could not be told is nobody.
	assert.deepEqual(speakerTurns([one(new Array<number>(60).fill(3))]), []);
});

const turns = [
	{ speaker: 0, start: 10, end: 12 },
	{ speaker: 1, start: 11.8, end: 14 },
];

test('segments are divided where the speaker changes', () => {
	const words = ['Yes', ' I', ' know.', ' Do', ' you?'].map((word, index) => ({
		word,
		start: index * 0.8,
		end: index * 0.8 + 0.6,
		probability: 1,
	}));
	const segment = {
		start: 0,
		end: 4,
		text: 'Yes I know. Do you?',
		tokens: [1, 2],
		avgLogprob: -0.1,
	};
	const parts = spokenSegments({ segments: [segment], words }, 10, turns);
	assert.deepEqual(
		parts.map(({ text, speaker, tokens }) => [text.trim(), speaker, tokens.length]),
		[
			['Yes I know.', 'A', 2],
			['Do you?', 'B', 0],
		],
	);
	// Wild times of words lead no part out of the segment.
	const wild = words.map((word, index) => (index > 2 ? { ...word, start: 9, end: 3 } : word));
	for (const { start, end } of spokenSegments({ segments: [segment], words: wild }, 10, turns))
		assert.ok(0 <= start && start <= end && end <= 4, `${start} ${end}`);
	const far = spokenSegments({ segments: [segment] }, 100, turns);
	assert.equal('speaker' in (far[0] ?? {}), false);
	assert.deepEqual([0, 25, 26, 701, 702].map(speakerLabel), ['A', 'Z', 'AA', 'ZZ', 'AAA']);
});

const transcript: Transcript = {
	...{ task: 'transcribe', language: 'english', language_code: 'en', duration: 4 },
	text: 'Yes I know. Do you?',
	segments: [
		{ start: 0, end: 2.2, text: 'Yes I know.', speaker: 'A' },
		{ start: 2.4, end: 4, text: 'Do you?', speaker: 'B' },
	].map((segment, id) => ({
		...{ id, seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 1 },
		no_speech_prob: 0,
		...segment,
	})),
};

test('every form says who speaks', () => {
	const body = (format: 'srt' | 'vtt') => {
		const rendered = renderTranscript(transcript, format);
		return 'body' in rendered ? rendered.body : '';
	};
	assert.match(body('srt'), /^1\n00:00:00,000 --> 00:00:02,200\nA: Yes I know\.\n\n2\n/);
	assert.match(body('vtt'), /\n<v B>Do you\?\n/);
	assert.deepEqual(renderTranscript(transcript, 'diarized_json'), {
		value: {
			task: 'transcribe',
			duration: 4,
			text: 'Yes I know. Do you?',
			segments: [
				{
					...{ type: 'transcript.text.segment', id: 'seg_001', start: 0, end: 2.2 },
					...{ text: 'Yes I know.', speaker: 'A' },
				},
				{
					...{ type: 'transcript.text.segment', id: 'seg_002', start: 2.4, end: 4 },
					...{ text: 'Do you?', speaker: 'B' },
				},
			],
			usage: { type: 'duration', seconds: 4 },
		},
	});
});

test('a name given to a speaker is used everywhere, and can be taken away', () => {
	const document = nameSpeaker(transcriptDocumentOf(transcript), 'B', '  Anna <b>  Meier ');
	const as = (format: 'text' | 'markdown' | 'srt' | 'vtt' | 'json', times = false) =>
		exportTranscript(document, { format, content: 'original', times, title: 'talk' });
	assert.equal(as('text'), 'A: Yes I know.\n\nAnna <b> Meier: Do you?\n');
	assert.match(as('markdown'), /\*\*A:\*\* Yes I know\.\n\n\*\*Anna \\<b\\> Meier:\*\* Do you\?/);
	assert.match(as('markdown', true), /\*\*0:02\*\* \*\*Anna/);
	assert.match(as('srt'), /\nAnna <b> Meier: Do you\?\n/);
	assert.match(as('vtt'), /<v Anna &lt;b&gt; Meier>Do you\?/);
	assert.match(as('json'), /"speaker": "Anna <b> Meier"/);
	assert.equal('speakers' in nameSpeaker(document, 'B', ''), false);
	assert.equal(nameSpeaker(document, 'C', 'nobody'), document);
	assert.equal(nameSpeaker(document, 'constructor', 'x'), document);
});
