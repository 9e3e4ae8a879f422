/** Settings of Marian that mean something else are refused by name, damaged files by what is wrong with them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	readMarianSettings,
	readMarianShape,
} from '../../../../server/engine/build/architectures/marianSettings.ts';
import { planBuild } from '../../../../server/engine/build/buildModel.ts';
import { memoryBytes } from '../../../../server/engine/build/sources/bytes.ts';
import { openMarianBinary } from '../../../../server/engine/build/sources/marianBinary.ts';
import { marianWeights } from '../../../../server/engine/build/sources/marianWeights.ts';
import { AppError } from '../../../../server/protocol/index.ts';
import { Random } from '../../../fixtures/graphBuilder.ts';
import { makeStudent, tinyStudent } from '../../../fixtures/student.ts';
import { type MarianItem, marianBytes } from '../../../fixtures/weightFiles.ts';

const small = { ...tinyStudent, inner: 64, encoderLayers: 1, decoderLayers: 1, vocabulary: 64 };
const { items } = makeStudent(small);

async function planOf(bytes: Uint8Array) {
	const source = await marianWeights(await openMarianBinary(memoryBytes(bytes, 'model.bin')));
	readMarianShape(source);
	return planBuild({ source, config: {}, quality: 'standard' });
}

const changed = (change: (text: string) => string): readonly MarianItem[] =>
	items.map((item) => {
		if (item.name !== 'special:model.yml') return item;
		const text = change(new TextDecoder().decode(item.bytes));
		const bytes = new TextEncoder().encode(text);
		return { ...item, bytes, shape: [bytes.length] };
	});

const refused = (all: readonly MarianItem[], words: RegExp) =>
	assert.rejects(planOf(marianBytes(all)), (error) => {
		assert.ok(error instanceof AppError && error.code === 'unsupported_model', String(error));
		assert.match(error.message, words);
		return true;
	});

test('keys at the margin have plain values, and lists theirs', () => {
	const text = 'a: 1\nb:\n  - "x"\n  - y\nc: [p, q]\n# d: 5\n  e: 6\nf: \'\'\n';
	assert.deepEqual(Object.fromEntries(readMarianSettings(text)), {
		a: '1',
		b: 'x, y',
		c: '[p, q]',
		f: '',
	});
});

test('a setting that is not known is named', async () => {
	assert.ok((await planOf(marianBytes(items))).sizeBytes > 0);
	for (const [from, to, words] of [
		['type: transformer', 'type: s2s', /sets type to "s2s"/],
		['dec-cell: ssru', 'dec-cell: gru', /"gru"; ssru is known/],
		['transformer-ffn-activation: relu', 'transformer-ffn-activation: gelu', /"gelu"/],
		['transformer-postprocess: dan', 'transformer-postprocess: dn', /transformer-postprocess/],
		['transformer-rnn-projection: false', 'transformer-rnn-projection: true', /rnn-projection/],
		['enc-depth: 1', 'enc-depth: 1e9', /enc-depth/],
		['dim-emb: 64', 'dim-emb: 65', /65 numbers/],
		['transformer-heads: 4', 'transformer-heads: 0', /transformer-heads/],
		['enc-depth: 1', 'enc-depth: 2', /no tensor model\.encoder\.layers\.1/],
		['dim-emb: 64', 'dim-emb: 32', /shape|no tensor/],
	] as const)
		await refused(
			changed((text) => text.replace(from, to)),
			words,
		);
	const extra = {
		name: 'decoder_l1_ffn_W3',
		type: 0x0404,
		shape: [1, 1],
		bytes: new Uint8Array(4),
	};
	await refused([...items, extra], /decoder_l1_ffn_W3/);
	await refused(
		items.map((item) =>
			item.name === 'decoder_l1_rnn_W_QuantMultA' ? { ...item, bytes: new Uint8Array(4) } : item,
		),
		/factor 0/,
	);
});

test('damaged headers are refused, never planned beyond the file', async () => {
	const good = marianBytes(items);
	const random = new Random(3);
	const headerBytes = items.length * 60;
	let planned = 0;
	for (let round = 0; round < 300; round++) {
		const bytes = good.slice();
		for (let k = 0; k < 3; k++) bytes[random.bits() % headerBytes] = random.bits() & 255;
		try {
			const { sizeBytes } = await planOf(bytes);
			planned++;
			assert.ok(sizeBytes < 100 * good.length, String(sizeBytes));
		} catch (error) {
			assert.ok(error instanceof AppError && error.code === 'unsupported_model', String(error));
		}
	}
	assert.ok(planned < 300);
});
