/** The ONNX codec keeps what it does not know; preparation is refused rather than wrong. */

import assert from 'node:assert/strict';
import {
	mkdirSync,
	readdirSync,
	readFileSync,
	realpathSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadGraphWithoutWeights } from '../../server/engine/onnx/graphWithoutWeights.ts';
import { decodeModel, encodeModel } from '../../server/engine/onnx/onnxModel.ts';
import { packSlots } from '../../server/engine/onnx/packSlots.ts';
import { rewriteGraph } from '../../server/engine/onnx/rewriteGraph.ts';
import {
	int64Tensor,
	readTensorHeader,
	tensorNumbers,
} from '../../server/engine/onnx/tensorProto.ts';
import { fieldInt, fieldText, readFields, WireWriter } from '../../server/engine/onnx/wire.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { Random } from '../fixtures/graphBuilder.ts';
import { needsFileLinks } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder();
const gqa = join(
	writeDecoderModel(join(folder, 'gqa'), { attention: 'gqa' }),
	'onnx',
	'model.onnx',
);
const plain = join(
	writeDecoderModel(join(folder, 'plain'), { attention: 'plain' }),
	'onnx',
	'model.onnx',
);

test('random messages survive being read and written field by field', () => {
	const random = new Random(3);
	for (let round = 0; round < 200; round++) {
		const writer = new WireWriter();
		const expected: [number, string | number][] = [];
		for (let k = random.bits() % 12; k > 0; k--) {
			const number = 1 + (random.bits() % 3000);
			if (random.bits() % 2 === 0) {
				const value = (random.bits() % 2 === 0 ? 1 : -1) * (random.bits() % 2 ** 31);
				writer.int(number, value);
				expected.push([number, value]);
			} else {
				const value = 'ä'.repeat(random.bits() % 300);
				writer.text(number, value);
				expected.push([number, value]);
			}
		}
		const bytes = writer.finish();
		const fields = [...readFields(bytes)];
		assert.deepEqual(
			fields.map((field) => [field.number, field.wire === 0 ? fieldInt(field) : fieldText(field)]),
			expected,
		);
		const again = new WireWriter();
		for (const { raw } of fields) again.raw(raw);
		assert.deepEqual(again.finish(), bytes);
	}
});

test('cut or random bytes are refused, never read past the end', () => {
	const random = new Random(5);
	const whole = new WireWriter().text(1, 'name').int(2, 300).bytes(3, new Uint8Array(50)).finish();
	for (let length = 1; length < whole.length; length++) {
		try {
			for (const field of readFields(whole.subarray(0, length)))
				assert.ok(field.raw.length <= length);
		} catch (error) {
			assert.match(String(error), /ends|number|wire/i);
		}
	}
	for (let round = 0; round < 500; round++) {
		const noise = Uint8Array.from({ length: 40 }, () => random.bits());
		try {
			decodeModel(noise);
			assert.fail('noise is no model');
		} catch (error) {
			assert.ok(error instanceof Error);
		}
	}
});

test('a model that is read and written again is the same model', () => {
	const bytes = Uint8Array.from(readFileSync(gqa));
	const once = encodeModel(decodeModel(bytes));
	assert.deepEqual(encodeModel(decodeModel(once)), once);
	const before = decodeModel(bytes).graph;
	const after = decodeModel(once).graph;
	assert.deepEqual(after.nodes, before.nodes);
	assert.deepEqual(after.inputs, before.inputs);
	assert.deepEqual(
		after.initializers.map(({ name }) => name),
		before.initializers.map(({ name }) => name),
	);
});

test('a skeleton refers to large weights by their place in the original file', async () => {
	const file = readFileSync(gqa);
	const { graph } = await loadGraphWithoutWeights(gqa);
	const original = new Map(
		decodeModel(file).graph.initializers.map(({ name, bytes }) => [name, bytes]),
	);
	let large = 0;
	for (const { name, bytes } of graph.initializers) {
		const header = readTensorHeader(bytes);
		const whole = readTensorHeader(original.get(name) as Uint8Array);
		assert.deepEqual(header.dims, whole.dims);
		if (header.external === undefined) continue;
		large++;
		const { offset, length, location } = header.external;
		assert.equal(location, 'model.onnx');
		assert.deepEqual(
			new Uint8Array(file.subarray(offset, offset + length)),
			Uint8Array.from(whole.raw ?? []),
		);
	}
	assert.ok(large > 5);
});

test('integer constants are read back', () => {
	assert.deepEqual(tensorNumbers(int64Tensor('c', [1, -2, 2 ** 40], [3]).bytes), [1, -2, 2 ** 40]);
});

test('graphs without slots to pack are refused with the reason', async () => {
	const { graph } = await loadGraphWithoutWeights(plain);
	assert.match(packSlots(graph, 4, 21) ?? '', /GroupQueryAttention/);
	const refused = await rewriteGraph(plain, { slots: 4 });
	assert.ok('refused' in refused);
});

test('a damaged file is refused with the reason, and nothing is left behind', async () => {
	const damaged = join(folder, 'damaged.onnx');
	writeFileSync(damaged, readFileSync(gqa).subarray(0, 5000));
	const result = await rewriteGraph(damaged, { gather: true });
	assert.ok('refused' in result && result.refused.length > 0);
	const missing = await rewriteGraph(join(folder, 'missing.onnx'), { gather: true });
	assert.ok('refused' in missing);
});

test('a model that has changed gets a prepared graph of its own', async () => {
	const first = await rewriteGraph(gqa, { gather: true });
	writeDecoderModel(join(folder, 'gqa'), {
		attention: 'gqa',
		shape: {
			layers: 1,
			hidden: 64,
			heads: 4,
			kvHeads: 2,
			inner: 128,
			vocabulary: 320,
			context: 256,
		},
	});
	const second = await rewriteGraph(gqa, { gather: true });
	assert.ok('key' in first && 'key' in second);
	assert.notEqual(first.key, second.key);
});

test('a model that is a set of links has its weights where its files really are', {
	skip: needsFileLinks,
}, async () => {
	const store = join(folder, 'models--acme--tiny', 'blobs');
	const links = join(folder, 'models--acme--tiny', 'snapshots', '0123abcd', 'onnx');
	mkdirSync(store, { recursive: true });
	mkdirSync(links, { recursive: true });
	writeFileSync(join(store, 'blob'), readFileSync(gqa));
	symlinkSync(join(store, 'blob'), join(links, 'model.onnx'));
	const prepared = await rewriteGraph(join(links, 'model.onnx'), { gather: true });
	assert.ok('bytes' in prepared, JSON.stringify(prepared));
	assert.equal(prepared.folder, realpathSync(store));
	for (const plain of [false, true]) {
		const session = await (await openRuntime(plain)).open(prepared, { threads: 1 });
		assert.ok(session.inputs.has('logits_index'));
		session.close();
	}
	assert.deepEqual(readdirSync(store), ['blob']);
});
