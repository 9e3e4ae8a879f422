import assert from 'node:assert/strict';
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { externalFault } from '../../server/engine/modelFiles/externalData.ts';
import { readGraphSummary } from '../../server/engine/modelFiles/graphSummary.ts';
import { needsFileLinks } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const folder = temporaryFolder('external');
const cached = () => join(folder, 'models--acme--tiny', 'snapshots', '0123abcd');
before(async () => {
	await mkdir(join(folder, 'onnx', 'sub'), { recursive: true });
	await writeFile(join(folder, 'onnx', 'model.onnx'), 'graph');
	await writeFile(join(folder, 'onnx', 'good'), Buffer.alloc(100));
	await writeFile(join(folder, 'outside'), Buffer.alloc(100));
	await link(join(folder, 'outside'), join(folder, 'onnx', 'hard'));
	if (needsFileLinks) return;
	await symlink(join(folder, 'outside'), join(folder, 'onnx', 'linked'));
	await symlink(join(folder, 'nowhere'), join(folder, 'onnx', 'dangling'));
	const blobs = join(folder, 'models--acme--tiny', 'blobs');
	await mkdir(blobs, { recursive: true });
	await mkdir(cached(), { recursive: true });
	for (const name of ['a', 'b']) await writeFile(join(blobs, name), Buffer.alloc(100));
	await symlink(join(blobs, 'a'), join(cached(), 'model.onnx'));
	await symlink(join(blobs, 'b'), join(cached(), 'model.onnx_data'));
});

const fault = (name: string, bytes = 100) => externalFault(folder, 'onnx/model.onnx', name, bytes);

test('weights beside the graph are opened, also when a hub cache links both to its blobs', async () => {
	assert.equal(await fault('good'), undefined);
	if (needsFileLinks) return;
	assert.equal(await externalFault(cached(), 'model.onnx', 'model.onnx_data', 100), undefined);
});

test('locations that leave the folder, links, folders and short files are refused', async () => {
	for (const [name, words] of [
		['../outside', /not a plain file name/],
		['/etc/passwd', /not a plain file name/],
		['sub/x', /not a plain file name/],
		['..', /not a plain file name/],
		['C:x', /not a plain file name/],
		['a\u0000b', /not a plain file name/],
		['', /not a plain file name/],
		['absent', /is missing/],
		['linked', /link to another place/],
		['dangling', /link to nowhere/],
		['hard', /hard link/],
		['sub', /not a plain file/],
	] as const) {
		if (needsFileLinks && /^(?:linked|dangling)$/.test(name)) continue;
		assert.match((await fault(name)) ?? '', words, JSON.stringify(name));
	}
	assert.match((await fault('good', 101)) ?? '', /shorter than the graph needs/);
	assert.match((await fault('good', Number.NaN)) ?? '', /impossible place/);
});

const varint = (value: number): number[] =>
	value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
const bytes = (field: number, content: readonly number[]) => [
	...varint((field << 3) | 2),
	...varint(content.length),
	...content,
];
const text = (field: number, value: string) => bytes(field, [...Buffer.from(value)]);
const tensor = (location: string) => [
	...bytes(13, [...text(1, 'location'), ...text(2, location)]),
	...bytes(13, [...text(1, 'offset'), ...text(2, '4096')]),
	...bytes(13, [...text(1, 'length'), ...text(2, '64')]),
];

test('weights of sparse tensors, attributes, subgraphs and functions are found too', async () => {
	const attribute = (field: number, content: readonly number[]) =>
		bytes(1, [
			...text(4, 'Constant'),
			...bytes(5, [...text(1, 'value'), ...bytes(field, content)]),
		]);
	const graph = [
		...bytes(5, tensor('dense')),
		...bytes(15, [...bytes(1, tensor('sparse values')), ...bytes(2, tensor('sparse indices'))]),
		...attribute(5, tensor('attribute')),
		...attribute(10, tensor('attribute list')),
		...attribute(22, bytes(1, tensor('sparse attribute'))),
		...attribute(6, bytes(5, tensor('subgraph'))),
	];
	const body = [
		...bytes(7, graph),
		...bytes(20, bytes(1, bytes(5, tensor('training')))),
		...bytes(25, bytes(7, [...text(4, 'X'), ...bytes(5, bytes(5, tensor('function')))])),
	];
	const path = join(folder, 'all.onnx');
	await writeFile(path, Buffer.from(body));
	const summary = await readGraphSummary(path);
	assert.deepEqual([...summary.externalFiles.keys()].sort(), [
		'attribute',
		'attribute list',
		'dense',
		'function',
		'sparse attribute',
		'sparse indices',
		'sparse values',
		'subgraph',
		'training',
	]);
	assert.ok([...summary.externalFiles.values()].every((needed) => needed === 4160));
});
