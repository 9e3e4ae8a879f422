/** Quantised weights of a repository become the same model as the same files in a folder. */

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { smallConfig, smallWeights } from '../engine/build/smallDecoder.ts';
import { smallGguf } from '../engine/build/smallGguf.ts';
import {
	awq,
	type Codes,
	codes,
	gptq,
	grouped,
	rowFactors,
	wordRows,
} from '../fixtures/quantisedWeights.ts';
import { byteTokenizer } from '../fixtures/tokenizerFiles.ts';
import {
	bytesOf,
	float32Tensor,
	type SafeTensor,
	safetensorsBytes,
} from '../fixtures/weightFiles.ts';
import { startHub } from '../support/hubServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { sseData, startTestServer, type TestServer } from '../support/testServer.ts';

let home = '';
let server: TestServer;
before(async () => {
	home = temporaryFolder('pulled weights');
	server = await startTestServer({ modelsDir: join(home, 'models') });
});
after(async () => {
	await server.close();
});

interface Event {
	readonly model?: { folder: string };
	readonly error?: { message: string };
}

async function built(path: string, body: object): Promise<string> {
	const response = await server.post(path, body, { headers: server.keyed });
	assert.ok(response.ok, await response.clone().text());
	const last = ((await sseData(response)) as Event[]).at(-1);
	assert.ok(last?.model, JSON.stringify(last));
	return last.model.folder;
}

const scales = (made: Codes) =>
	rowFactors(made, (row, group) => made.scale[row]?.[group] as number);

/** Each way to pack: the tensors of a matrix, and what config.json says of them. */
const methods: readonly {
	readonly name: string;
	readonly settings: object;
	readonly pack: (made: Codes, at: string) => Record<string, SafeTensor>;
}[] = [
	{
		name: 'gptq',
		settings: { quantization_config: { quant_method: 'gptq', bits: 4, group_size: 32 } },
		pack: (made, at) => gptq(made, 4, 1, at),
	},
	{
		name: 'awq',
		settings: { quantization_config: { quant_method: 'awq', bits: 4, group_size: 32 } },
		pack: awq,
	},
	{
		name: 'compressed',
		settings: {
			quantization_config: {
				quant_method: 'compressed-tensors',
				format: 'pack-quantized',
				config_groups: {
					group_0: { weights: { num_bits: 4, group_size: 32, symmetric: true } },
				},
			},
		},
		pack: (made, at) => ({
			[`${at}.weight_packed`]: wordRows(made, 4, 'I32'),
			[`${at}.weight_scale`]: scales(made),
			[`${at}.weight_shape`]: {
				dtype: 'I64',
				shape: [2],
				bytes: bytesOf(BigInt64Array.of(BigInt(made.rows), BigInt(made.columns))),
			},
		}),
	},
	{
		name: 'mlx',
		settings: { quantization: { group_size: 32, bits: 4 } },
		pack: (made, at) => ({
			[`${at}.weight`]: wordRows(made, 4, 'U32'),
			[`${at}.scales`]: scales(made),
			[`${at}.biases`]: rowFactors(made, () => -0.5),
		}),
	},
];

for (const { name, settings, pack } of methods)
	test(`weights packed by ${name}, in two files that an index lists`, async () => {
		const folder = join(home, `local-${name}`);
		mkdirSync(folder);
		byteTokenizer(folder);
		const parts: Record<string, SafeTensor>[] = [{}, {}];
		for (const [at, { shape, numbers }] of smallWeights()) {
			const [rows = 0, columns = 0] = shape;
			const isPacked = /_proj\.weight$/.test(at) && columns % 32 === 0;
			const tensors = isPacked
				? pack(codes(rows, columns, grouped(columns, 32), 15), at.replace(/\.weight$/, ''))
				: { [at]: float32Tensor(shape, numbers) };
			Object.assign(parts[at.includes('layers.1') ? 1 : 0] as object, tensors);
		}
		const names = parts.map((_, part) => `model-0000${part + 1}-of-00002.safetensors`);
		const weightMap = Object.fromEntries(
			parts.flatMap((tensors, part) => Object.keys(tensors).map((at) => [at, names[part]])),
		);
		// Only the index says which of the two counts.
		Object.assign(parts[1] as object, {
			'model.norm.weight': float32Tensor([32], Array<number>(32).fill(9)),
		});
		for (const [part, tensors] of parts.entries())
			writeFileSync(join(folder, names[part] as string), safetensorsBytes(tensors));
		const index = { weight_map: weightMap };
		writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify(index));
		writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...smallConfig, ...settings }));
		const files = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]);
		const repository = `acme/${name}`;
		await using hub = await startHub(Object.fromEntries(files), {}, repository);
		const local = await built('/nearglot/models/build', { path: folder });
		const pulled = await built('/nearglot/models/download', { hub: hub.url, model: repository });
		const graphs = readdirSync(join(local, 'onnx'));
		assert.ok(graphs.some((file) => file.startsWith('model_q4')));
		assert.deepEqual(readdirSync(join(pulled, 'onnx')), graphs);
		for (const file of graphs)
			assert.ok(
				readFileSync(join(pulled, 'onnx', file)).equals(readFileSync(join(local, 'onnx', file))),
				file,
			);
		const whole = hub.requests.filter(
			({ path, range }) => path.endsWith('.safetensors') && range === undefined,
		);
		assert.deepEqual(whole, []);
	});

test('a model of a GGUF file keeps the licence that lies beside the file, or above its folder', async () => {
	const licence = Buffer.from('Made by Acme. Be kind.');
	const repository = {
		'README.md': Buffer.from('# m'),
		LICENSE: licence,
		'USE_POLICY.md': licence,
		'F32/m-F32.gguf': Buffer.from(smallGguf()),
	};
	await using hub = await startHub(repository, {}, 'acme/licensed');
	const body = { hub: hub.url, model: 'acme/licensed' };
	const pulled = await built('/nearglot/models/download', body);
	for (const name of ['LICENSE', 'USE_POLICY.md'])
		assert.ok(readFileSync(join(pulled, name)).equals(licence), name);
	assert.ok(!readdirSync(pulled).includes('README.md'));
});

test('a licence that the file alone names is asked for before anything is built, and an open one is not', async () => {
	const file = (license: string) => Buffer.from(smallGguf({ 'general.license': license }));
	const repository = { 'F32/m-F32.gguf': file('own terms'), 'F16/m-F16.gguf': file('mit') };
	await using hub = await startHub(repository, { license: null }, 'acme/terms');
	const body = { hub: hub.url, acceptLicense: false };
	const asked = { ...body, model: 'acme/terms:m-F32.gguf' };
	const refused = await server.post('/nearglot/models/download', asked, { headers: server.keyed });
	const text = await refused.text();
	assert.match(text, /under the licence 'own terms', which has conditions/);
	assert.match(text, /"param":"acceptLicense"/);
	assert.ok(text.includes(`${hub.url}/acme/terms`), text);
	const models = readdirSync(join(home, 'models'));
	assert.deepEqual(
		models.filter((name) => name.includes('terms')),
		[],
	);
	await built('/nearglot/models/download', { ...body, model: 'acme/terms:m-F16.gguf' });
	await built('/nearglot/models/download', { ...asked, acceptLicense: true });
	// What has come under its licence is asked for no more.
	await built('/nearglot/models/download', asked);
});
