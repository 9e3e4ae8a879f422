/** Headers byte by byte: what a recording is told to be, where its sound begins, and how long it claims to be. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sniffFormat } from '../../server/audio/audioFormat.ts';
import { type AudioSource, pieces } from '../../server/audio/audioSource.ts';
import { checkContainerLength } from '../../server/audio/containerLength.ts';
import { announcedLength, findMpegFrame, mpegFrame } from '../../server/audio/mpegFrame.ts';
import { assertAudioFormat, checkComplete, mixDown } from '../../server/audio/openedAudio.ts';
import { mixFrames, pcmReader } from '../../server/audio/pcm.ts';
import { splitVorbisHeaders } from '../../server/audio/vorbisPackets.ts';
import { readWavHeader } from '../../server/audio/wavHeader.ts';
import { speechLike, wavFile } from '../support/madeAudio.ts';
import { firstPage } from './madeOgg.ts';
import { memorySource } from './memorySource.ts';

type Part = string | readonly number[] | Uint8Array;

const bytesOf = (...parts: Part[]) =>
	Buffer.concat(
		parts.map((part) =>
			typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part as Uint8Array),
		),
	);
const sniffed = (...parts: Part[]) => sniffFormat(memorySource(bytesOf(...parts)));
const big32 = (value: number) => [
	value >>> 24,
	(value >> 16) & 255,
	(value >> 8) & 255,
	value & 255,
];
const zeros = (length: number) => new Uint8Array(length);

test('the sound begins behind any number of ID3 tags, with footers, longer than 127 bytes', async () => {
	const tag = (size: number, flags: number) =>
		bytesOf(
			'ID3\x04\x00',
			[flags, 0, 0, size >> 7, size & 127],
			zeros(size),
			zeros(flags & 16 ? 10 : 0),
		);
	assert.deepEqual(await sniffed(tag(300, 0), 'fLaC'), { format: 'flac', offset: 310 });
	assert.deepEqual(await sniffed(tag(300, 16), 'fLaC'), { format: 'flac', offset: 320 });
	assert.deepEqual(await sniffed(tag(5, 0), tag(200, 0), 'fLaC'), { format: 'flac', offset: 225 });
});

test('every kind of wave file and every codec in Ogg is known by its first bytes', async () => {
	for (const tag of ['RIFF', 'RF64', 'BW64'])
		assert.equal((await sniffed(tag, zeros(4), 'WAVEfmt ')).format, 'wav');
	const ogg = (...packets: string[]) => sniffed(...packets.map(firstPage));
	assert.equal((await ogg('OpusHead')).format, 'ogg-opus');
	assert.equal((await ogg('\x7fFLAC\x01')).format, 'ogg-flac');
	assert.equal((await ogg('\x01vorbis')).format, 'ogg-vorbis');
	const film = await ogg('fishead\0', '\x80theora', '\x01vorbis');
	assert.equal(film.format, 'ogg-vorbis', 'pictures and an index begin before the sound');
	await assert.rejects(ogg('fishead\0', '\x80theora', 'Speex   '), /Theora video and Speex audio/);
});

test('files that are no recordings are called by their name', async () => {
	for (const [head, name] of [
		['PK\x03\x04', 'ZIP'],
		['%PDF-1.7', 'PDF'],
		['\xff\xd8\xff\xe0', 'JPEG'],
		['GIF89a', 'GIF'],
		['\x1f\x8b\x08', 'gzip'],
		['#!AMR\n', 'AMR'],
		['caff\x00\x01', 'Core Audio'],
		['.snd\x00\x00', 'Sun AU'],
		['0&\xb2u\x8e\x66', 'Windows Media'],
		['RIFF\0\0\0\0AVI LIST', 'RIFF file of kind AVI '],
	] as const)
		await assert.rejects(sniffed(head, zeros(40)), {
			code: 'invalid_audio',
			message: new RegExp(name),
		});
});

/** MPEG 1 layer III, 128 kb/s, 44.1 kHz: frames of 417 bytes, 418 with padding. */
const mp3Frame = (padding = 0) =>
	bytesOf([0xff, 0xfb, 0x90 | (padding << 1), 0x40], zeros(413 + padding));

test('MPEG frames are looked for behind 100 kB of anything else, and no further than 128 kB', async () => {
	const noise = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7919 + i * i * 31) % 251);
	const frames = bytesOf(...Array.from({ length: 5 }, () => mp3Frame()));
	assert.deepEqual(await sniffed(noise, frames), { format: 'mp3', offset: 100_000 });
	await assert.rejects(sniffed(noise, noise, frames), /not audio of a known kind/);
});

test('one frame proves nothing, four of the same stream do, and two at the end of a file', () => {
	const four = [mp3Frame(), mp3Frame(1), mp3Frame(), mp3Frame(1)];
	assert.equal(findMpegFrame(bytesOf([1, 2, 3], ...four), false), 3);
	assert.equal(findMpegFrame(bytesOf(...four.slice(1)), false), undefined);
	assert.equal(findMpegFrame(bytesOf(mp3Frame(), mp3Frame()), true), 0);
	assert.equal(findMpegFrame(bytesOf(mp3Frame(), mp3Frame(), zeros(9)), true), undefined);
	assert.equal(findMpegFrame(mp3Frame(), true), undefined);
	const other = mp3Frame();
	other[2] = 0x94; // 48 kHz
	assert.equal(findMpegFrame(bytesOf(mp3Frame(), mp3Frame(), other, mp3Frame()), false), undefined);
});

test('headers of every version and layer give rate, length and size of their frame', () => {
	const header = (...bytes: number[]) => {
		const frame = mpegFrame(Uint8Array.from(bytes), 0);
		return (
			frame && [
				frame.sampleRateHz,
				frame.samplesPerFrame,
				frame.sizeBytes,
				frame.channels,
				frame.sideBytes,
			]
		);
	};
	assert.deepEqual(header(0xff, 0xfb, 0x90, 0x40), [44_100, 1152, 417, 2, 32]);
	assert.deepEqual(header(0xff, 0xfb, 0x92, 0xc0), [44_100, 1152, 418, 1, 17]);
	assert.deepEqual(header(0xff, 0xf3, 0x80, 0x40), [22_050, 576, 208, 2, 17]);
	assert.deepEqual(header(0xff, 0xe3, 0x80, 0xc0), [11_025, 576, 417, 1, 9]);
	assert.deepEqual(header(0xff, 0xfd, 0x80, 0x40), [44_100, 1152, 417, 2, 0]);
	assert.deepEqual(header(0xff, 0xff, 0x40, 0x40), [44_100, 384, 136, 2, 0]);
	assert.equal(header(0xff, 0xeb, 0x90, 0x40), undefined, 'a version that does not exist');
	assert.equal(header(0xff, 0xfb, 0xf0, 0x40), undefined, 'a bit rate that does not exist');
});

test('the length comes from Xing, Info and VBRI tags, whichever of its parts are there', () => {
	const tagged = (at: number, ...parts: Part[]) => {
		const frame = bytesOf(mp3Frame(), zeros(200));
		frame.set(bytesOf(...parts), at);
		return announcedLength(frame, 0);
	};
	const xing = (flags: number, ...words: number[]) =>
		tagged(36, 'Xing', big32(flags), ...words.map(big32));
	assert.deepEqual(xing(3, 100, 41_700), { frames: 100, bytes: 41_700 });
	assert.deepEqual(xing(2, 41_700), { bytes: 41_700 });
	assert.deepEqual(xing(1, 100), { frames: 100 });
	assert.deepEqual(tagged(36, 'Info', big32(1), big32(7)), { frames: 7 });
	assert.deepEqual(tagged(36, 'VBRI', zeros(6), big32(5000), big32(12)), {
		frames: 12,
		bytes: 5000,
	});
	assert.deepEqual(tagged(36, 'LAME'), {});
});

/** Counts how often it is read. */
function counted(bytes: Uint8Array): AudioSource & { reads: number } {
	const source = memorySource(bytes);
	const counting = {
		...source,
		reads: 0,
		read: (offset: number, length: number) => {
			counting.reads++;
			return source.read(offset, length);
		},
	};
	return counting;
}

const box = (size: number, name: string, ...rest: Part[]) => bytesOf(big32(size), name, ...rest);

test('an MP4 file is as long as its boxes say, of whatever kind their sizes are', async () => {
	const check = (...parts: Part[]) => checkContainerLength(memorySource(bytesOf(...parts)), 'mp4');
	const start = box(16, 'ftyp', zeros(8));
	await check(start, box(20, 'mdat', zeros(12)));
	await assert.rejects(
		check(start, box(21, 'mdat', zeros(12))),
		/promises 37 bytes and 36 are there/,
	);
	await assert.rejects(
		check(start, box(1, 'mdat', big32(0), big32(500), zeros(40))),
		/promises 516 bytes/,
	);
	await check(start, box(1, 'mdat', big32(0), big32(56), zeros(40)));
	await check(start, box(0, 'mdat', zeros(12)));
	await check(start, box(3, 'mdat', zeros(12)));
	const many = counted(bytesOf(...Array.from({ length: 30_000 }, () => box(8, 'free'))));
	await checkContainerLength(many, 'mp4');
	assert.ok(many.reads <= 10_000, `${many.reads} boxes were read`);
});

test('a WebM file is as long as its segment says, and every element in it has a size', async () => {
	const head = bytesOf([0x1a, 0x45, 0xdf, 0xa3, 0x80]);
	const check = (size: readonly number[], ...parts: Part[]) =>
		checkContainerLength(
			memorySource(bytesOf(head, [0x18, 0x53, 0x80, 0x67], size, ...parts)),
			'matroska',
		);
	const element = bytesOf([0xec, 0x82], zeros(2));
	await check([0x84], element);
	await check([0xff], element);
	await check([0x01, 255, 255, 255, 255, 255, 255, 255], element);
	await assert.rejects(check([0x85], element), /promises 15 bytes and 14 are there/);
	await assert.rejects(check([0x40, 0x05], element), /promises 16 bytes and 15 are there/);
	await assert.rejects(check([0x88], element, [0, 0x81, 0, 0]), /no valid size/);
	await assert.rejects(check([0x88], element, [0x0f, 0x81, 0, 0]), /no valid size/);
	await assert.rejects(check([0x8b], element, [0x0f, 0, 0, 0, 0, 0x81, 0]), /no valid size/);
	await assert.rejects(check([0x88], element, [0xec, 0, 0, 0]), /no valid size/);
	await check([0x8c], element, [0x1f, 0x43, 0xb6, 0x75, 0xff], [0, 0, 0]);
});

const wav = (fmt: Uint8Array, ...parts: Part[]) =>
	readWavHeader(memorySource(bytesOf('RIFF', zeros(4), 'WAVE', fmt, ...parts)), 0);
/** A `fmt ` chunk of 48 kHz. */
function fmt(tag: number, channels: number, bits: number, size = 16): Uint8Array {
	const chunk = Buffer.alloc(8 + size);
	chunk.write('fmt ');
	chunk.writeUInt32LE(size, 4);
	chunk.writeUInt16LE(tag, 8);
	chunk.writeUInt16LE(channels, 10);
	chunk.writeUInt32LE(48_000, 12);
	chunk.writeUInt16LE(bits, 22);
	return chunk;
}
const little32 = (value: number) => big32(value).reverse();
const data = (announced: number, there: number) =>
	bytesOf('data', little32(announced), new Uint8Array(there).fill(1));

test('chunks of odd length are followed by a byte that is none of theirs', async () => {
	const header = await wav(bytesOf('LIST', little32(5), 'hello\0', fmt(1, 1, 16)), data(8, 8));
	assert.deepEqual([header.dataOffset, header.dataBytes], [12 + 14 + 24 + 8, 8]);
});

test('of samples that are cut in the middle only whole ones count', async () => {
	const header = await wav(fmt(1, 2, 24), data(13, 13));
	assert.deepEqual([header.frameBytes, header.dataBytes, header.announcedBytes], [6, 12, 13]);
});

test('a length that a recorder never filled in means all that is there', async () => {
	for (const never of [0, 0x7ffff000, 0x80000000, 0xffffffff]) {
		const header = await wav(fmt(1, 1, 16), data(never, 10));
		assert.deepEqual([header.dataBytes, header.announcedBytes], [10, undefined], String(never));
	}
	const known = await wav(fmt(1, 1, 16), data(6, 10));
	assert.deepEqual([known.dataBytes, known.announcedBytes], [6, 6]);
});

test('RF64 has its length in a chunk of its own', async () => {
	const ds64 = (length: number) =>
		bytesOf('ds64', little32(28), zeros(8), little32(length), zeros(16));
	const read = (length: number) =>
		readWavHeader(
			memorySource(
				bytesOf('RF64', zeros(4), 'WAVE', ds64(length), fmt(1, 1, 16), data(0xffffffff, 10)),
			),
			0,
		);
	assert.deepEqual([(await read(6)).dataBytes, (await read(6)).announcedBytes], [6, 6]);
	assert.equal((await read(1000)).announcedBytes, 1000);
});

test('wave headers that cannot be are refused with their reason', async () => {
	const refused = (header: Promise<unknown>, message: RegExp) =>
		assert.rejects(header, { code: 'invalid_audio', message });
	await refused(wav(fmt(0xfffe, 1, 16, 18), data(4, 4)), /extensible .* cut off/);
	await refused(wav(fmt(1, 1, 64), data(8, 8)), /with 64 bits/);
	await refused(wav(fmt(3, 1, 16), data(8, 8)), /with 16 bits/);
	await refused(wav(fmt(7, 1, 16), data(8, 8)), /with 16 bits/);
	await refused(wav(fmt(85, 1, 0), data(8, 8)), /holds MP3/);
	await refused(wav(data(8, 8)), /no "fmt " chunk before/);
	await refused(wav(fmt(1, 1, 16), bytesOf('LIST', little32(0))), /no "data" chunk/);
	await refused(wav(fmt(1, 1, 16), data(2, 1)), /no samples/);
	const chunks = counted(
		bytesOf(
			'RIFF\0\0\0\0WAVE',
			...Array.from({ length: 3000 }, () => bytesOf('LIST', little32(0))),
			fmt(1, 1, 16),
			data(8, 8),
		),
	);
	await refused(readWavHeader(chunks, 0), /no "fmt " chunk/);
	assert.ok(chunks.reads <= 1001, `${chunks.reads} reads`);
});

test('samples of every width and order become the same number', () => {
	const read = (encoding: Parameters<typeof pcmReader>[0], little: boolean, ...bytes: number[]) =>
		pcmReader(encoding, bytes.length, little)(new DataView(Uint8Array.from(bytes).buffer), 0);
	assert.equal(read('unsigned', true, 64), -0.5);
	assert.equal(read('signed', true, 0xc0), -0.5);
	assert.equal(read('signed', true, 0, 0xc0), -0.5);
	assert.equal(read('signed', false, 0xc0, 0), -0.5);
	assert.equal(read('signed', true, 0, 0, 0xc0), -0.5);
	assert.equal(read('signed', false, 0xc0, 0, 0), -0.5);
	assert.equal(read('signed', true, 0, 0, 0, 0xc0), -0.5);
	assert.equal(read('signed', false, 0xc0, 0, 0, 0), -0.5);
	assert.equal(read('float', true, 0, 0, 0, 0xbf), -0.5);
	assert.equal(read('float', false, 0xbf, 0, 0, 0), -0.5);
});

test('a float that is no number, or beyond all sound, is silence', () => {
	const values = Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, -1e30, 0.25);
	const shape = { channels: 1, sampleBytes: 4, frameBytes: 4 };
	const read = pcmReader('float', 4);
	assert.deepEqual([...mixFrames(new Uint8Array(values.buffer), read, shape)], [0, 0, 0, 0.25]);
});

test('channels are averaged, a rate or number of channels that no recording has is refused', () => {
	const mixed = mixDown([
		Float32Array.of(0.3, 0),
		Float32Array.of(0.6, 0),
		Float32Array.of(0, 0.9),
	]);
	assert.deepEqual(
		[...mixed].map((value) => Math.round(value * 1000) / 1000),
		[0.3, 0.3],
	);
	for (const [rate, channels] of [
		[999, 1],
		[768_001, 1],
		[Number.NaN, 1],
		[16_000, 0],
		[16_000, 65],
	] as const)
		assert.throws(
			() => assertAudioFormat(rate, channels),
			{ code: 'invalid_audio' },
			`${rate} ${channels}`,
		);
	for (const [rate, channels] of [
		[1000, 1],
		[768_000, 64],
	] as const)
		assertAudioFormat(rate, channels);
});

test('two per cent and a quarter of a second may be missing at the end of a recording, no more', () => {
	checkComplete(100, 97.76);
	checkComplete(1, 0.74);
	assert.throws(() => checkComplete(100, 97.7), /promises 100\.00 s and 97\.70 s can be read/);
	assert.throws(() => checkComplete(1, 0.7), { code: 'invalid_audio' });
});

test('headers of Vorbis in WebM are taken apart, and refused where they do not fit', () => {
	const first = new Uint8Array(30).fill(1);
	const second = new Uint8Array(300).fill(2);
	const third = new Uint8Array(40).fill(3);
	const laced = bytesOf([2, 30, 255, 45], first, second, third);
	assert.deepEqual(
		splitVorbisHeaders(laced).map((part) => [part.length, part[0]]),
		[
			[30, 1],
			[300, 2],
			[40, 3],
		],
	);
	const damaged = { code: 'invalid_audio', message: /damaged/ };
	assert.throws(() => splitVorbisHeaders(bytesOf([1], laced.subarray(1))), damaged);
	assert.throws(() => splitVorbisHeaders(laced.subarray(0, 334)), damaged);
});

test('pieces never hold what lies behind their end', async () => {
	const bytes = wavFile(speechLike(0.1, 8000), { rateHz: 8000 });
	const found: Uint8Array[] = [];
	for await (const piece of pieces(memorySource(bytes), 10, 120, 50)) found.push(piece);
	assert.deepEqual(
		found.map(({ length }) => length),
		[50, 50, 10],
	);
	assert.deepEqual(Buffer.concat(found), Buffer.from(bytes.subarray(10, 120)));
});
