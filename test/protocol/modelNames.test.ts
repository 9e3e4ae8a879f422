import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findModel, type NamedModel } from '../../server/protocol/index.ts';
import { idName } from '../../server/protocol/modelNames.ts';

const model = (name: string, version: string, alias: string, folder: string): NamedModel => ({
	id: `${name}:${version}`,
	name,
	version,
	alias,
	folder: `/models/${folder}`,
});
const models = [
	model('Alpha', '2', 'first', 'alpha-two'),
	model('Alpha', '10', 'first', 'alpha-ten'),
	model('beta', '1', 'acme/beta', 'acme--beta'),
	model('first', '1', 'other', 'x'),
];
const idOf = (name: string) => findModel(models, name)?.id;

test('letter case, leading zeros and the tag latest make no other model', () => {
	for (const name of ['alpha:2', 'ALPHA:2', 'Alpha:02', ' alpha:2 '])
		assert.equal(idOf(name), 'Alpha:2', name);
	for (const name of ['alpha', 'ALPHA:latest', 'alpha:LATEST'])
		assert.equal(idOf(name), 'Alpha:10', name);
	for (const name of ['acme/BETA', 'acme/beta:latest', 'acme--beta', 'Acme--Beta:latest'])
		assert.equal(idOf(name), 'beta:1', name);
	for (const name of ['alpha:3', 'latest', ':latest', '', 'alpha:latest:2'])
		assert.equal(idOf(name), undefined, name);
});

test('a name counts more than an alias, and an alias means the highest version, too', () => {
	assert.equal(idOf('first'), 'first:1');
	assert.equal(findModel(models.slice(0, 3), 'first')?.id, 'Alpha:10');
	assert.equal(idOf('alpha-two'), 'Alpha:2');
	assert.equal(findModel(models, 'first', [])?.id, 'first:1');
	assert.equal(findModel(models, 'other', []), undefined);
});

test('ids keep what a name sounds like, and always hold something', () => {
	const ids = {
		'Größe ö': 'Grosse-o',
		'Grüße ü': 'Grusse-u',
		'Łódź 7B': 'Lodz-7B',
		'.hidden model': 'hidden-model',
		Модель: 'model',
		'a/b': 'a-b',
	};
	for (const [name, id] of Object.entries(ids)) assert.equal(idName(name), id);
	assert.equal(idName('x'.repeat(300)).length, 128);
});
