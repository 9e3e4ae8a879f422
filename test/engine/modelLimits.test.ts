/** What a model folder has too much of is refused by file and limit, before it costs memory, stack or time. */

import assert from 'node:assert/strict';
import {
	cpSync,
	mkdirSync,
	readFileSync,
	renameSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { decodeModel } from '../../server/engine/onnx/onnxModel.ts';
import { readTensorHeader } from '../../server/engine/onnx/tensorProto.ts';
import { WeightReader } from '../../server/engine/onnx/weightReader.ts';
import { WireWriter } from '../../server/engine/onnx/wire.ts';
import { loadTextModel } from '../../server/engine/text/textModel.ts';
import { readModelBytes, readModelText } from '../../server/hub/modelData/readModelFile.ts';
import { AppError } from '../../server/protocol/index.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { describeAlone } from './describeAlone.ts';

const folder = temporaryFolder();
const good = writeDecoderModel(join(folder, 'good'), { attention: 'gqa' });
let made = 0;

/** The good model with one file that is another. */
function withFile(name: string, content: string | { readonly bytes: number }): string {
	const model = join(folder, `hostile-${made++}`);
	cpSync(good, model, { recursive: true });
	const path = join(model, name);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, typeof content === 'string' ? content : '{');
	// A file with a hole takes no room on the disk.
	if (typeof content !== 'string') truncateSync(path, content.bytes);
	return model;
}

async function open(model: string): Promise<void> {
	const { problems } = await describeModel(model);
	if (problems.length > 0) throw new AppError('unsupported_model', problems.join(' '));
	await loadTextModel(model);
}

const nested = (depth: number) => `{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
const json = (name: string) => JSON.parse(readFileSync(join(good, name), 'utf8'));
const mib = 1 << 20;

for (const [name, bytes] of [
	['config.json', 5 * mib],
	['genai_config.json', 5 * mib],
	['generation_config.json', 5 * mib],
	['tokenizer_config.json', 33 * mib],
	['tokenizer.json', 129 * mib],
	['vocab.json', 129 * mib],
	['source.spm', 129 * mib],
	['chat_template.jinja', 2 * mib],
	['chat_template.json', 5 * mib],
	['additional_chat_templates/tool_use.jinja', 2 * mib],
] as const)
	test(`${name} of ${bytes} bytes is not read`, async () => {
		const model = withFile(name, { bytes });
		await assert.rejects(open(model), {
			code: 'unsupported_model',
			message: new RegExp(`${name.replaceAll('.', '\\.')}.* is ${bytes} bytes long; at most \\d+ `),
		});
	});

test('"models info" says of a tokenizer that is too large what a load would say', async () => {
	for (const name of ['tokenizer.json', 'vocab.json', 'source.spm', 'target.spm']) {
		const { problems } = await describeModel(withFile(name, { bytes: 129 * mib }));
		assert.equal(problems.length, 1);
		assert.match(problems[0] ?? '', /is 135266304 bytes long; at most 134217728 are read/);
	}
});

for (const name of ['config.json', 'genai_config.json', 'tokenizer.json', 'tokenizer_config.json'])
	test(`${name} with lists in lists is refused before it is parsed`, async () => {
		await assert.rejects(open(withFile(name, nested(65))), {
			code: 'unsupported_model',
			message: new RegExp(`${name.replace('.', '\\.')}.* 64 deep`),
		});
		await assert.rejects(open(withFile(name, nested(500_000))), /64 deep/);
	});

test('whoever reads a JSON file as text reads a measured one', async () => {
	for (const name of ['modules.json', 'nearglot-lexicon.json'])
		await assert.rejects(readModelText(withFile(name, nested(500_000)), name), /64 deep/);
});

test('vocabularies that are no JSON are counted as well', async () => {
	const pieces = (count: number) =>
		Buffer.alloc(4 * count, Buffer.from([0x0a, 2, 0x0a, 0])).toString('latin1');
	for (const [name, content] of [
		['tokenizer.model', pieces(1_048_577)],
		['source.spm', pieces(1_048_577)],
		['qwen.tiktoken', 'YQ== 1\n'.repeat(1_048_577)],
		['tokenizer.model', 'YQ== 1\n'.repeat(1_048_577)],
	] as const)
		await assert.rejects(readModelBytes(withFile(name, content), name), {
			code: 'unsupported_model',
			message: /has more than 1048576 tokens; at most 1048576/,
		});
	for (const [name, content] of [
		['tokenizer.model', pieces(1_048_576)],
		['qwen.tiktoken', 'YQ== 1\n'.repeat(1_048_576)],
	] as const)
		assert.equal((await readModelBytes(withFile(name, content), name))?.length, content.length);
});

test('brackets in texts are no depth, and quotes after backslashes end nothing', async () => {
	const content = { ...json('config.json'), note: `${'["\\'.repeat(500)}"` };
	await open(withFile('config.json', JSON.stringify(content)));
});

test('a file with more values than any settings have is refused', async () => {
	const values = `{"x":[${'0,'.repeat(300_000)}0]}`;
	await assert.rejects(
		open(withFile('config.json', values)),
		/config\.json .*more than 250000 values/,
	);
});

test('tokens, merges, added tokens and steps of a tokenizer are counted', async () => {
	const tokenizer = json('tokenizer.json');
	const many = (count: number) => Array.from({ length: count }, () => 0);
	const step = { type: 'NFC' };
	const sequence = { type: 'Sequence', normalizers: Array.from({ length: 100 }, () => step) };
	for (const [part, what] of [
		[
			{ model: { ...tokenizer.model, vocab: many(1_048_577) } },
			/has 1048577 tokens; at most 1048576/,
		],
		[
			{ model: { ...tokenizer.model, merges: many(4_194_305) } },
			/has 4194305 merges; at most 4194304/,
		],
		[{ added_tokens: many(262_145) }, /has 262145 added tokens; at most 262144/],
		[
			{ normalizer: { type: 'Sequence', normalizers: [sequence, sequence, sequence] } },
			/has 307 steps; at most 256/,
		],
	] as const)
		await assert.rejects(
			open(withFile('tokenizer.json', JSON.stringify({ ...tokenizer, ...part }))),
			{
				code: 'unsupported_model',
				message: what,
			},
		);
});

const wrap = (field: number, content: Uint8Array) =>
	new WireWriter().bytes(field, content).finish();
const named = (field: number, text: string) => new WireWriter().text(field, text).finish();

/** A graph whose only node holds a graph, and so on. */
function deepGraph(depth: number): Uint8Array {
	let graph = named(2, 'g');
	for (let level = 0; level < depth; level++)
		graph = wrap(
			1,
			Buffer.concat([named(4, 'If'), wrap(5, Buffer.concat([named(1, 'b'), wrap(6, graph)]))]),
		);
	return wrap(7, graph);
}

const graphs: readonly (readonly [what: string, bytes: () => Uint8Array, refusal: RegExp])[] = [
	['graphs in graphs', () => deepGraph(17), /17 graphs inside each other; at most 16/],
	[
		'too many nodes',
		() => wrap(7, Buffer.alloc(4 * 250_001, Buffer.from([0x0a, 2, 0x22, 0]))),
		/250001 nodes; at most 250000/,
	],
	[
		'too many tensors',
		() => wrap(7, Buffer.alloc(4 * 250_001, Buffer.from([0x2a, 2, 0x10, 1]))),
		/250001 tensors; at most 250000/,
	],
	[
		'a name without end',
		() => wrap(7, wrap(1, named(4, 'x'.repeat(5000)))),
		/5000 bytes where at most 4096/,
	],
	[
		'a value of a thousand dimensions',
		() => {
			const dim = wrap(1, new WireWriter().int(1, 1).finish());
			const shape = wrap(2, Buffer.concat(Array.from({ length: 1000 }, () => dim)));
			return wrap(7, wrap(11, wrap(2, wrap(1, shape))));
		},
		/65 dimensions of one value; at most 64/,
	],
];

for (const [what, bytes, refusal] of graphs)
	test(`a graph with ${what} is refused by name and limit`, async () => {
		const model = withFile('onnx/model.onnx', '');
		writeFileSync(join(model, 'onnx', 'model.onnx'), bytes());
		const { problems } = await describeAlone(model);
		assert.match(problems.join(' '), refusal);
		assert.match(problems.join(' '), /model\.onnx/);
	});

test('the reader that rewrites graphs ends at the same depth', () => {
	decodeModel(deepGraph(16));
	assert.throws(() => decodeModel(deepGraph(17)), { code: 'unsupported_model' });
});

test('while a graph of many parts is read, others have their turns', async () => {
	const model = withFile('onnx/model.onnx', '');
	const nodes = Buffer.alloc(4 * 100_000, Buffer.from([0x0a, 2, 0x22, 0]));
	writeFileSync(join(model, 'onnx', 'model.onnx'), wrap(7, nodes));
	const { turns } = await describeAlone(model);
	assert.ok(turns > 45, `${turns} turns for 200,000 fields`);
});

const external = (entries: Readonly<Record<string, string>>) => {
	const writer = new WireWriter().int(1, 4).int(2, 1).text(8, 'w');
	for (const [key, value] of Object.entries(entries))
		writer.bytes(13, new WireWriter().text(1, key).text(2, value).finish());
	return writer.finish();
};

test('weights lie inside their file, at places that a file has', async () => {
	for (const [key, value] of [
		['offset', '-4096'],
		['length', '-1'],
		['offset', '1e400'],
		['length', 'all'],
		['offset', '0.5'],
	] as const)
		assert.throws(
			() =>
				readTensorHeader(external({ location: 'data', offset: '0', length: '16', [key]: value })),
			/impossible place/,
		);
	writeFileSync(join(folder, 'data'), Buffer.alloc(64));
	const reader = new WeightReader(join(folder, 'graph.onnx'));
	try {
		const read = (offset: number, length: number) =>
			reader.bytes(
				readTensorHeader(external({ location: 'data', offset: `${offset}`, length: `${length}` })),
			);
		assert.equal((await read(48, 16)).length, 16);
		// Nothing is allocated for what is not there.
		for (const [offset, length] of [
			[48, 17],
			[0, 2 ** 50],
			[2 ** 52, 16],
		] as const)
			await assert.rejects(
				read(offset, length),
				/data of the model is shorter than the weight 'w'/,
			);
	} finally {
		await reader.close();
	}
});

test('memory is estimated from what the graphs say of their weights, whatever their files are called', async () => {
	const model = join(folder, 'renamed');
	writeDecoderModel(model, {
		attention: 'gqa',
		shape: {
			layers: 1,
			hidden: 320,
			heads: 4,
			kvHeads: 2,
			inner: 64,
			vocabulary: 320,
			context: 64,
		},
	});
	const before = (await describeModel(model)).memoryEstimateBytes;
	const graph = join(model, 'onnx', 'model.onnx');
	const data = statSync(`${graph}_data`).size;
	renameSync(`${graph}_data`, join(model, 'onnx', 'modelXonnxXdata'));
	const bytes = readFileSync(graph)
		.toString('latin1')
		.replaceAll('model.onnx_data', 'modelXonnxXdata');
	writeFileSync(graph, bytes, 'latin1');
	const { memoryEstimateBytes, problems } = await describeModel(model);
	assert.deepEqual(problems, []);
	assert.ok(memoryEstimateBytes > before - data / 2, `${memoryEstimateBytes} of ${before}`);
});

test('of the hub cache only the blobs of the same model are followed', {
	skip: process.platform === 'win32' ? 'links need rights there' : false,
}, async () => {
	const snapshot = join(folder, 'cache', 'models--acme--tiny', 'snapshots', '0123abcd');
	cpSync(good, snapshot, { recursive: true });
	const others = join(folder, 'cache', 'models--other--secret', 'blobs');
	mkdirSync(others, { recursive: true });
	writeFileSync(join(others, 'aaaa'), JSON.stringify({ chat_template: 'SECRET' }));
	symlinkSync(join(others, 'aaaa'), join(snapshot, 'chat_template.json'));
	await assert.rejects(open(snapshot), /chat_template\.json.* is a link that leaves the folder/);
	// Nor from a folder that is no snapshot at all.
	const plain = withFile('notes.txt', '');
	symlinkSync(join(others, 'aaaa'), join(plain, 'chat_template.json'));
	await assert.rejects(open(plain), /chat_template\.json.* is a link that leaves the folder/);
});
