/** Weights of dynamic int8 as unsigned bytes: the same sums, packed once for all sessions of a model. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { GraphSource } from '../../server/engine/modelFiles/graphSource.ts';
import { decodeModel, encodeModel, type OnnxGraph } from '../../server/engine/onnx/onnxModel.ts';
import { rewriteGraph } from '../../server/engine/onnx/rewriteGraph.ts';
import { readTensorHeader } from '../../server/engine/onnx/tensorProto.ts';
import { weightSharing } from '../../server/engine/onnx/weightSharing.ts';
import type { SessionOptions } from '../../server/engine/runtime/runtime.ts';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { cutsSignedSums } from '../../server/engine/verify/signedSums.ts';
import { tinyShape, writeDecoderModel } from '../fixtures/decoderModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { openDecoder } from './openDecoder.ts';

const folder = temporaryFolder();
const int8 = 3;
/** Zero points of 2,304 bytes: large enough to stay in the file. */
const shape = { ...tinyShape, inner: 2304 };

function graphFile(name: string, change?: (graph: OnnxGraph) => void): string {
	const model = writeDecoderModel(join(folder, name), { attention: 'gqa', int8: true, shape });
	const path = join(model, 'onnx', 'model_quantized.onnx');
	if (change === undefined) return path;
	const { graph, rest } = decodeModel(readFileSync(path));
	change(graph);
	writeFileSync(path, encodeModel({ graph, rest }));
	return path;
}

async function unsigned(path: string) {
	const sharing = await weightSharing(path, true);
	assert.ok(sharing?.unsigned);
	const graph = await rewriteGraph(path, { unsigned: sharing.unsigned });
	assert.ok('bytes' in graph, JSON.stringify(graph));
	return { graph, sharing };
}

async function logitsOf(source: GraphSource, options: Partial<SessionOptions> = {}) {
	const session = await (await openRuntime()).open(source, { threads: 1, ...options });
	const binding = session.createBinding();
	try {
		const tokens = [5, 9, 40, 77, 12];
		binding.input('input_ids', BigInt64Array.from(tokens, BigInt), [1, tokens.length]);
		const mask = new BigInt64Array(tokens.length).fill(1n);
		binding.input('attention_mask', mask, [1, tokens.length]);
		const { kvHeads, hidden, heads } = shape;
		for (const name of session.inputs.keys())
			if (name.startsWith('past'))
				binding.input(name, new Float32Array(), [1, kvHeads, 0, hidden / heads]);
		for (const name of session.outputs.keys()) binding.outputAny(name);
		await binding.run();
		return binding.take('logits').data;
	} finally {
		binding.release();
		session.close();
	}
}

/** Products that ONNX Runtime would still have to convert, of weights that lie in the file. */
function signedProducts({ nodes, initializers }: OnnxGraph): string[] {
	const headers = new Map(
		initializers.map(({ name, bytes }) => [name, readTensorHeader(bytes)] as const),
	);
	return nodes.flatMap(({ op, inputs: [, name = ''] }) => {
		const header = headers.get(name);
		const isSigned = op === 'MatMulInteger' && header?.dataType === int8;
		return isSigned && header.external !== undefined ? [name] : [];
	});
}

const withoutZeros = ({ nodes }: OnnxGraph): void => {
	for (const node of nodes) if (node.op === 'MatMulInteger') node.inputs.length = 3;
};

for (const [name, change] of [
	['with zero points', undefined],
	['without zero points', withoutZeros],
] as const)
	test(`the same logits to the last bit as published, nothing left to convert (${name})`, async () => {
		const path = graphFile(name, change);
		const { graph, sharing } = await unsigned(path);
		assert.deepEqual(signedProducts(decodeModel(graph.bytes).graph), []);
		assert.deepEqual(await logitsOf(graph, { sharing }), await logitsOf(path));
	});

test('a session that is not given the weights fails: it never takes the signed ones', async () => {
	const { graph } = await unsigned(graphFile('alone'));
	await assert.rejects(logitsOf(graph), { code: 'unsupported_model' });
});

test('weights of 7 bits, whose sums fit, stay signed as ONNX Runtime leaves them', async () => {
	const path = graphFile('narrow');
	const { graph } = decodeModel(readFileSync(path));
	const bytes = readFileSync(path);
	for (const { name, bytes: tensor } of graph.initializers) {
		const { raw, dataType } = readTensorHeader(tensor);
		if (dataType !== int8 || raw === undefined || !name.endsWith('.q')) continue;
		const at = bytes.indexOf(raw);
		for (let k = 0; k < raw.length; k++) bytes.writeInt8((bytes.readInt8(at + k) >> 1) | 1, at + k);
	}
	writeFileSync(path, bytes);
	assert.equal((await weightSharing(path, true))?.unsigned, undefined);
});

test('decoders use them where sums would be cut off, and only there', async () => {
	const runtime = await openRuntime();
	const path = graphFile('decoder');
	const opened: GraphSource[] = [];
	const watched = {
		...runtime,
		open: (graph: GraphSource, options: SessionOptions) => {
			opened.push(graph);
			return runtime.open(graph, options);
		},
	};
	const decoder = await openDecoder(join(path, '..', '..'), { runtime: watched });
	decoder.close();
	const isCut = await cutsSignedSums(runtime);
	const models = opened.flatMap((graph) =>
		typeof graph === 'string' || graph.name === 'sums' ? [] : [decodeModel(graph.bytes).graph],
	);
	assert.ok(models.length > 0);
	for (const graph of models) assert.equal(signedProducts(graph).length === 0, isCut);
	if (isCut) assert.ok(opened.every((graph) => typeof graph !== 'string'));
});

test('a decoder whose graphs do not open so is opened as published', async () => {
	const runtime = await openRuntime();
	const path = graphFile('refused');
	const refuses = {
		...runtime,
		open: async (graph: GraphSource, options: SessionOptions) => {
			if (typeof graph !== 'string' && graph.name !== 'sums') throw new Error('not so');
			return runtime.open(graph, options);
		},
	};
	const decoder = await openDecoder(join(path, '..', '..'), { runtime: refuses });
	assert.equal(decoder.mode, 'serial');
	decoder.close();
});
