/** Ogg pages made by hand: packets over pages, streams side by side and in a row, lost pages, ends inside a packet. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { decodeAudio } from '../../server/audio/decodeAudio.ts';
import { lastGranule, oggPackets, oggPages } from '../../server/audio/oggPages.ts';
import { checkOpusDamage, OpusStream, parseOpusHead } from '../../server/audio/opusPackets.ts';
import { hasProgram } from '../support/ffmpeg.ts';
import { speechLike, wavFile } from '../support/madeAudio.ts';
import { checksum, firstPage, page } from './madeOgg.ts';
import { memorySource } from './memorySource.ts';

async function packets(...pages: readonly Uint8Array[]) {
	const found: (readonly [
		length: number,
		first: number | undefined,
		granule: bigint | undefined,
		last: boolean,
	])[] = [];
	const source = memorySource(Buffer.concat(pages));
	for await (const { bytes, granule, last } of oggPackets(source, 0, () => true))
		found.push([bytes.length, bytes[0], granule, last]);
	return found;
}

test('a packet goes on over pages, and the last one that ends on a page has its position', async () => {
	const found = await packets(
		page({ sequence: 0, flags: 'f', lacing: [4], granule: 0n }),
		page({ sequence: 1, lacing: [3, 5, 255], granule: 80n }),
		page({ sequence: 2, lacing: [255], flags: 'c', granule: -1n }),
		page({ sequence: 3, lacing: [10, 7], flags: 'cl', granule: 200n }),
	);
	assert.deepEqual(found, [
		[4, 0, 0n, false],
		[3, 1, undefined, false],
		[5, 1, 80n, false],
		[520, 1, undefined, false],
		[7, 3, 200n, true],
	]);
});

test('a stream that runs beside the first one is passed over, one after its end is not', async () => {
	const found = await packets(
		page({ sequence: 0, flags: 'f', lacing: [4] }),
		page({ serial: 2, sequence: 0, flags: 'f', lacing: [9] }),
		page({ sequence: 1, flags: 'l', lacing: [5], granule: 10n }),
		page({ serial: 2, sequence: 1, flags: 'l', lacing: [9] }),
		page({ serial: 3, sequence: 7, flags: 'f', lacing: [6] }),
		page({ serial: 3, sequence: 8, flags: 'l', lacing: [8], granule: 20n }),
	);
	assert.deepEqual(
		found.map(([length]) => length),
		[4, 5, 6, 8],
	);
});

test('a lost page breaks the packet that ran over it and no other', async () => {
	const found = await packets(
		page({ sequence: 0, flags: 'f', lacing: [4, 255] }),
		page({ sequence: 2, flags: 'c', lacing: [30, 6] }),
		page({ sequence: 3, flags: 'l', lacing: [7] }),
	);
	assert.deepEqual(
		found.map(([length]) => length),
		[4, 6, 7],
	);
	const begun = await packets(
		page({ sequence: 0, flags: 'f', lacing: [4, 255] }),
		page({ sequence: 1, lacing: [6] }),
	);
	assert.deepEqual(
		begun.map(([length]) => length),
		[4, 6],
		'a packet that nothing continues',
	);
});

test('a damaged page is left out, and the next one is found', async () => {
	const pages = [0, 1, 2, 3].map((sequence) =>
		page({ sequence, flags: sequence ? '' : 'f', lacing: [50] }),
	);
	for (const at of [30, 60]) {
		const spoilt = Buffer.concat(pages);
		spoilt[(pages[0]?.length ?? 0) + at] = 77;
		const found: number[] = [];
		for await (const { sequence } of oggPages(memorySource(spoilt), 0)) found.push(sequence);
		assert.deepEqual(found, [0, 2, 3]);
	}
});

test('a packet of more than a megabyte is refused', async () => {
	const full = new Array(255).fill(255);
	const pages = Array.from({ length: 18 }, (_, sequence) =>
		page({ sequence, flags: sequence ? 'c' : 'f', lacing: full, granule: -1n }),
	);
	await assert.rejects(packets(...pages), { code: 'invalid_audio', message: /more than 1 MB/ });
});

test('the length is the last position of this stream, however far from the end', async () => {
	const filler = page({ serial: 9, sequence: 0, lacing: new Array(255).fill(255), granule: 7n });
	const source = (...pages: readonly Uint8Array[]) => memorySource(Buffer.concat(pages));
	const mine = [100n, 300n, -1n].map((granule, sequence) =>
		page({ sequence, lacing: [200], granule }),
	);
	assert.equal(await lastGranule(source(...mine, filler), 1), 300n);
	assert.equal(await lastGranule(source(...mine), 2), undefined);
	await assert.rejects(
		lastGranule(source(...mine, filler.subarray(0, 20)), 1),
		/in the middle of a page/,
	);
	await assert.rejects(
		lastGranule(source(...mine, Buffer.from('Og')), 1),
		/in the middle of a page/,
	);
	assert.equal(await lastGranule(source(...mine, Buffer.from('TAG')), 1), 300n, 'a tag behind it');
});

/** An identification header with these bytes at these places. */
function opusHead(
	changes: Readonly<Record<number, number>> = {},
	more: readonly number[] = [],
): Uint8Array {
	const head = Buffer.concat([
		Buffer.from('OpusHead'),
		new Uint8Array([1, 2, 0x38, 1, 0, 0, 0, 0, 0, 0, 0, ...more]),
	]);
	for (const [at, value] of Object.entries(changes)) head[Number(at)] = value;
	return head;
}

test('an Opus header is understood, and refused where no decoder could follow it', () => {
	assert.deepEqual(parseOpusHead(opusHead()), {
		channels: 2,
		preSkip: 312,
		gain: 1,
		streams: 1,
		coupled: 1,
		mapping: [0, 1],
	});
	assert.deepEqual(parseOpusHead(opusHead({ 9: 1 })).mapping, [0]);
	assert.ok(Math.abs(parseOpusHead(opusHead({ 17: 6 })).gain - 10 ** (6 / 20)) < 1e-9, '6 dB');
	const family = (channels: number, ...table: number[]) => opusHead({ 9: channels, 18: 1 }, table);
	assert.deepEqual(parseOpusHead(family(3, 2, 1, 0, 255, 2)).mapping, [0, 255, 2]);
	for (const [bytes, what] of [
		[opusHead().subarray(0, 18), /too short/],
		[opusHead({ 8: 16 }), /version is unknown/],
		[opusHead({ 9: 0 }), /0 channels/],
		[opusHead({ 9: 3 }), /3 channels/],
		[family(3, 2, 1, 0, 3, 2), /mapping is not possible/],
		[family(3, 2, 1, 0, 1), /mapping is not possible/],
		[family(1, 0, 0, 255), /mapping is not possible/],
		[family(2, 1, 2, 0, 1), /mapping is not possible/],
		[family(0, 1, 0), /mapping is not possible/],
	] as const)
		assert.throws(() => parseOpusHead(bytes), { code: 'invalid_audio', message: what });
});

test('packets that cannot be Opus are counted, and a quarter of them is too much', async () => {
	const stream = new OpusStream(parseOpusHead(opusHead({ 9: 1 })));
	try {
		await stream.ready;
		// 20 ms of nothing heard, as an encoder sends it.
		const quiet = Uint8Array.of(0xf8, 0xff, 0xfe);
		for (let i = 0; i < 6; i++) assert.ok(stream.decode(quiet));
		assert.equal(stream.decode(new Uint8Array(0)), undefined);
		assert.equal(stream.decode(new Uint8Array(5000)), undefined);
		assert.equal(stream.damaged, 2);
		checkOpusDamage(stream);
		assert.equal(stream.decode(new Uint8Array(0)), undefined);
		assert.throws(() => checkOpusDamage(stream), /3 of 9 packets/);
	} finally {
		stream.free();
	}
});

const skip = !hasProgram('ffmpeg') && 'no ffmpeg, which makes the files';

/** One and a half second of something like a voice. */
function made(rateHz: number, ...options: readonly string[]): Buffer {
	const input = wavFile(speechLike(1.5, rateHz), { rateHz });
	const { stdout } = spawnSync('ffmpeg', ['-v', 'error', '-i', '-', ...options, '-f', 'ogg', '-'], {
		input,
	});
	return stdout;
}

async function decoded(bytes: Uint8Array) {
	const audio = await decodeAudio(memorySource(bytes));
	const samples: number[] = [];
	for await (const block of audio.samples) for (const value of block) samples.push(value);
	return { info: audio.info, samples };
}

const lengthS = ({ samples }: { readonly samples: readonly number[] }) => samples.length / 16_000;

test('recordings that follow each other in one file are heard one after the other, each at its rate', {
	skip,
}, async () => {
	for (const [name, ...options] of [
		['Opus', '-c:a', 'libopus'],
		['Vorbis', '-c:a', 'libvorbis'],
		['FLAC', '-c:a', 'flac'],
	]) {
		const slow = made(8000, ...options, ...(name === 'Opus' ? [] : ['-ar', '8000']));
		const fast = made(44_100, ...options, ...(name === 'Opus' ? [] : ['-ar', '44100']));
		const both = await decoded(Buffer.concat([slow, fast]));
		const { length } = both.samples;
		assert.ok(Math.abs(length - 48_000) <= 3, `${name}: ${length} samples`);
		const alone = await decoded(fast);
		// The second one is what it is alone, however the first one ended.
		const tail = both.samples.slice(-8000);
		const expected = alone.samples.slice(-8000);
		const apart = Math.max(...tail.map((value, i) => Math.abs(value - (expected[i] as number))));
		assert.ok(name === 'FLAC' || apart < 1e-3, `${name}: ${apart}`);
	}
});

test('recordings of different codecs that follow each other are all heard', { skip }, async () => {
	const links = [
		['-c:a', 'libopus'],
		['-c:a', 'libvorbis', '-ar', '44100'],
		['-c:a', 'flac', '-ar', '8000'],
	].map((options) => made(48_000, ...options));
	for (const order of [links, links.toReversed()]) {
		const { length } = (await decoded(Buffer.concat(order))).samples;
		assert.ok(Math.abs(length - 72_000) <= 5, `${length} samples`);
	}
});

test('a recording that is followed by one of an unknown codec is refused, by pictures it is not', {
	skip,
}, async () => {
	const sound = made(48_000, '-c:a', 'libopus');
	const serial = Buffer.from(sound).readUInt32LE(14);
	const stream = (name: string, ofSerial: number) =>
		Buffer.concat([
			firstPage(name, ofSerial),
			page({ serial: ofSerial, sequence: 1, lacing: [200], granule: 5n, flags: 'l' }),
		]);
	const refused = (name: RegExp, ...parts: Uint8Array[]) =>
		assert.rejects(decoded(Buffer.concat(parts)), { code: 'invalid_audio', message: name });
	await refused(/another one with Speex audio.*Split/, sound, stream('Speex   ', 7));
	await refused(/another one with Speex audio/, sound, stream('Speex   ', serial));
	await refused(/a codec that is not known/, sound, stream('whatever', 7), sound);
	const alone = (await decoded(sound)).samples.length;
	const film = await decoded(
		Buffer.concat([sound, stream('\x80theora', 7), stream('fishead\0', 8)]),
	);
	assert.equal(film.samples.length, alone);
});

test('a recording ends where its last page says, also inside a packet', { skip }, async () => {
	for (const [name, ...options] of [
		['Opus', '-c:a', 'libopus'],
		['Vorbis', '-c:a', 'libvorbis'],
		['FLAC', '-c:a', 'flac'],
	]) {
		const whole = made(48_000, ...options);
		const parts: Uint8Array[] = [];
		// FLAC of ffmpeg ends with a packet of nothing.
		for await (const { bytes } of oggPackets(memorySource(whole), 0, () => true))
			if (bytes.length > 0) parts.push(bytes);
		const granule = (await lastGranule(
			memorySource(whole),
			Buffer.from(whole).readUInt32LE(14),
		)) as bigint;
		const endingAt = (end: bigint) =>
			parts.map((body, sequence) => {
				const last = sequence + 1 === parts.length;
				const lacing = [...new Array(Math.floor(body.length / 255)).fill(255), body.length % 255];
				const flags = sequence === 0 ? 'f' : last ? 'l' : '';
				return page({
					sequence,
					flags,
					lacing,
					body,
					granule: last ? end : sequence < 3 ? 0n : -1n,
				});
			});
		const before = (await decoded(Buffer.concat(endingAt(granule)))).samples.length;
		const after = (await decoded(Buffer.concat(endingAt(granule - 90n)))).samples.length;
		assert.ok(Math.abs(before - 24_000) <= 1, `${name}: ${before}`);
		const chain = Buffer.concat([...endingAt(granule), ...endingAt(granule - 90n)]);
		const both = (await decoded(chain)).samples.length;
		assert.ok(Math.abs(both - 47_970) <= 1, `${name}: ${both} in a chain`);
		assert.ok(Math.abs(before - after - 30) <= 1, `${name}: ${before} and ${after}`);
	}
});

test('the last page tells the length of FLAC whose encoder left it open', { skip }, async () => {
	const bytes = made(48_000, '-c:a', 'flac');
	for await (const { bytes: first } of oggPackets(memorySource(bytes), 0, () => true)) {
		assert.equal(Buffer.from(first).readUInt32BE(17 + 14), 0, 'the total in STREAMINFO');
		break;
	}
	assert.equal((await decodeAudio(memorySource(bytes))).info.durationS, 1.5);
});

test('the gain in an Opus header is applied, and its run-up is cut off', { skip }, async () => {
	const whole = made(48_000, '-c:a', 'libopus');
	const plain = await decoded(whole);
	assert.ok(Math.abs(lengthS(plain) - 1.5) < 0.001, `${lengthS(plain)} s`);
	assert.ok(Math.abs((plain.info.durationS ?? 0) - 1.5) < 0.001, `${plain.info.durationS} s`);
	const louder = Buffer.from(whole);
	// Q7.8 decibels at 16 of the header, which begins behind the 28 bytes of the page's.
	louder.writeInt16LE(-6 * 256, 28 + 16);
	const first = louder.subarray(0, 28 + 19);
	first.writeUInt32LE(0, 22);
	first.writeUInt32LE(checksum(first), 22);
	const peak = (samples: readonly number[]) =>
		samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
	const ratio = peak((await decoded(louder)).samples) / peak(plain.samples);
	assert.ok(Math.abs(ratio - 10 ** (-6 / 20)) < 0.01, `${ratio}`);
});

test('the limit of length holds also for a recording that does not say how long it is', {
	skip,
}, async () => {
	const input = wavFile(speechLike(1.5, 16_000), { rateHz: 16_000 });
	// An encoder that writes to a pipe leaves the number of samples open.
	const { stdout } = spawnSync('ffmpeg', ['-v', 'error', '-i', '-', '-f', 'flac', '-'], { input });
	const audio = await decodeAudio(memorySource(stdout), { maximumS: 1 });
	assert.equal(audio.info.durationS, undefined);
	await assert.rejects(
		async () => {
			for await (const _ of audio.samples);
		},
		{ code: 'payload_too_large' },
	);
	for await (const _ of (await decodeAudio(memorySource(stdout), { maximumS: 1.6 })).samples);
});
