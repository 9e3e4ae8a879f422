/** The clock of Ogg pages: late beginnings, gaps, lost pages, streams that somebody joined, and pictures beside them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeAudio } from '../../server/audio/decodeAudio.ts';
import { firstPage, page } from './madeOgg.ts';
import { memorySource } from './memorySource.ts';

const preSkip = 312;
/** 20 ms of nothing heard, as an Opus encoder sends it. */
const quiet = Uint8Array.of(0xf8, 0xff, 0xfe);
const packetSamples = 960;
/** Packets of a second. */
const perPage = 50;

interface Part {
	/** Of this page; default: the one after the last. */
	readonly sequence?: number;
	/** Where the sound of the page begins, in seconds. */
	readonly atS: number;
	readonly last?: boolean;
	readonly packets?: number;
	/** Seconds that its end is said to be earlier than its sound. */
	readonly lessS?: number;
}

function opus(parts: readonly Part[], serial = 1): Buffer {
	const head = Buffer.from('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0', 'latin1');
	head.writeUInt16LE(preSkip, 10);
	let next = 2;
	return Buffer.concat([
		page({ serial, sequence: 0, flags: 'f', lacing: [head.length], body: head }),
		page({ serial, sequence: 1, lacing: [8], body: Buffer.from('OpusTags') }),
		...parts.map(({ sequence = next, atS, last = false, packets = perPage, lessS = 0 }) => {
			next = sequence + 1;
			return page({
				...{ serial, sequence, flags: last ? 'l' : '' },
				granule: BigInt(Math.round((atS - lessS) * 48_000) + packets * packetSamples),
				lacing: new Array(packets).fill(quiet.length),
				body: Buffer.concat(new Array(packets).fill(quiet)),
			});
		}),
	]);
}

async function lengthS(...parts: readonly Uint8Array[]) {
	const { info, samples } = await decodeAudio(memorySource(Buffer.concat(parts)));
	let length = 0;
	for await (const block of samples) length += block.length;
	return { promised: info.durationS, heard: Math.round(length / 160) / 100 };
}

/** The run-up of the encoder, 6.5 ms, belongs to the first page and is no sound. */
const near = (found: number | undefined, expected: number) =>
	assert.ok(Math.abs((found ?? Number.NaN) - expected) < 0.02, `${found} s`);

test('sound that begins later has silence before it, and a gap is silence', async () => {
	const late = await lengthS(opus([{ atS: 3 }, { atS: 4, last: true }]));
	near(late.promised, 5);
	near(late.heard, 5);
	const gap = await lengthS(opus([{ atS: 0 }, { atS: 1 }, { atS: 9, last: true }]));
	near(gap.promised, 10);
	near(gap.heard, 10);
});

test('a short recording of one page ends where the page says, and may begin late too', async () => {
	near((await lengthS(opus([{ atS: 0, last: true, lessS: 0.3 }]))).heard, 0.7);
	near((await lengthS(opus([{ atS: 2, last: true }]))).heard, 3);
});

test('an end that cannot be is not believed', async () => {
	near((await lengthS(opus([{ atS: 0 }, { atS: 1, last: true, lessS: 1.9 }]))).heard, 2);
});

test('who joined a running stream hears it from the first sound', async () => {
	const joined = opus([
		{ sequence: 5000, atS: 18_000 },
		{ atS: 18_001 },
		{ atS: 18_004, last: true },
	]);
	const { promised, heard } = await lengthS(joined);
	assert.equal(promised, undefined);
	near(heard, 5);
});

test('lost pages are silence, and too many of them a damaged recording', async () => {
	const parts = Array.from({ length: 60 }, (_, atS) => ({ atS, sequence: atS + 2 }));
	near((await lengthS(opus(parts.filter(({ atS }) => atS !== 30)))).heard, 60);
	await assert.rejects(lengthS(opus(parts.filter(({ atS }) => atS < 30 || atS > 33))), {
		code: 'invalid_audio',
		message: /cut off or damaged: its header promises 59\.99 s and 55\.99 s/,
	});
});

test('pictures, an index and a second sound beside the first one change nothing', async () => {
	const [first, second] = [opus([{ atS: 0 }, { atS: 1, last: true }]), opus([{ atS: 0 }], 2)];
	const headBytes = 28 + 19;
	const film = [
		firstPage('fishead\0', 7),
		firstPage('\x80theora', 8),
		first.subarray(0, headBytes),
		second.subarray(0, headBytes),
		page({ serial: 8, sequence: 1, lacing: [200], granule: 77n }),
		second.subarray(headBytes),
		first.subarray(headBytes),
		page({ serial: 8, sequence: 2, lacing: [200], granule: 999n, flags: 'l' }),
	];
	const { promised, heard } = await lengthS(...film);
	near(promised, 2);
	near(heard, 2);
	near((await lengthS(...film, ...film)).heard, 4);
});

test('a stream of an unknown codec that begins late beside the sound changes nothing', async () => {
	const whole = opus([{ atS: 0 }, { atS: 1 }]);
	const rest = opus([{ atS: 0 }, { atS: 1 }, { atS: 2, last: true }]).subarray(whole.length);
	near((await lengthS(whole, firstPage('whatever', 9), rest)).heard, 3);
});

test('a recording whose stream never says that it ends is followed by the next one', async () => {
	near((await lengthS(opus([{ atS: 0 }]), opus([{ atS: 0 }, { atS: 1 }], 2))).heard, 3);
});

test('sound without positions is heard as it comes', async () => {
	const whole = opus(Array.from({ length: 30 }, (_, atS) => ({ atS })));
	const bare = opus(Array.from({ length: 30 }, () => ({ atS: -1.00002084 })));
	assert.ok(bare.readBigInt64LE(28 + 19 + 28 + 8 + 6) < 0n);
	near((await lengthS(whole)).heard, 30);
	near((await lengthS(bare)).heard, 30);
});
