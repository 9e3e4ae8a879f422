/** Recordings with headers that go on for ever, for every reader of a container. */

import { decodeAudio } from '../../server/audio/decodeAudio.ts';
import { memorySource } from '../audio/memorySource.ts';
import type { HostileCase, HostileInput } from './growth.ts';

const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

/** Bytes that begin with some and repeat others. */
const repeated = (name: string, before: readonly number[], part: readonly number[]) => ({
	name,
	make: (n: number) => {
		const bytes = new Uint8Array(Math.max(before.length, n));
		bytes.set(before);
		for (let at = before.length; at < bytes.length; at++)
			bytes[at] = part[(at - before.length) % part.length] ?? 0;
		return bytes;
	},
});

const riff = [...ascii('RIFF'), 255, 255, 255, 127, ...ascii('WAVE')];
const oggPage = [...ascii('OggS'), 0, 2, ...new Array<number>(20).fill(0), 1, 0];
const ftyp = [0, 0, 0, 16, ...ascii('ftypM4A '), 0, 0, 0, 0];
const ebml = [0x1a, 0x45, 0xdf, 0xa3, 0x84, 0x42, 0x86, 0x81, 1];

export const hostileRecordings: readonly HostileInput<Uint8Array>[] = [
	repeated('WAV: empty chunks', riff, [...ascii('junk'), 0, 0, 0, 0]),
	repeated('WAV: small chunks', riff, [...ascii('LIST'), 2, 0, 0, 0, 1, 1]),
	repeated('WAV: formats', riff, [...ascii('fmt '), 16, 0, 0, 0, ...new Array<number>(16).fill(1)]),
	repeated('FLAC: empty blocks', ascii('fLaC'), [1, 0, 0, 0]),
	repeated(
		'FLAC: syncs without frames',
		[...ascii('fLaC'), 0x80, 0, 0, 34, ...new Array<number>(34).fill(1)],
		[0xff, 0xf8],
	),
	repeated('MP3: tags', [], [...ascii('ID3'), 3, 0, 0, 0, 0, 0, 0]),
	repeated('MP3: syncs without frames', [0xff, 0xfb, 0x90, 0], [0xff, 0xfb]),
	repeated('MP3: zeros', [...ascii('ID3'), 3, 0, 0, 0, 0, 0, 0], [0]),
	repeated('Ogg: empty pages', oggPage, oggPage),
	repeated('Ogg: page marks', oggPage, ascii('OggS')),
	repeated('Ogg: streams', [], [...oggPage.slice(0, 14), 7, ...oggPage.slice(15)]),
	repeated('MP4: empty boxes', ftyp, [0, 0, 0, 8, ...ascii('free')]),
	repeated('MP4: boxes in boxes', ftyp, [0, 15, 255, 255, ...ascii('moov')]),
	repeated('MP4: tracks', ftyp, [0, 0, 0, 16, ...ascii('moov'), 0, 0, 0, 8, ...ascii('trak')]),
	repeated('WebM: empty elements', ebml, [0xec, 0x80]),
	repeated(
		'WebM: clusters',
		[...ebml, 0x18, 0x53, 0x80, 0x67, 0xff],
		[0x1f, 0x43, 0xb6, 0x75, 0x80],
	),
];

/** Its reader never ends by itself: only a thread that is ended ends it. */
export const endlessRecording = repeated(
	'WebM: elements in elements',
	ebml,
	[0x18, 0x53, 0x80, 0x67, 0xff],
);

export const audioCases: readonly HostileCase[] = hostileRecordings.map(({ name, make }) => ({
	name,
	make,
	run: async (bytes: Uint8Array) => {
		const { samples } = await decodeAudio(memorySource(bytes));
		for await (const _ of samples);
	},
}));
