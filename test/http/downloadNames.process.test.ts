/** A name belongs to one model: whatever is asked for under it afterwards, and however it is written. */

import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type DownloadServer, lastOf, startDownloadServer, tinyUri } from './downloadServer.ts';

let tested: DownloadServer;
before(async () => {
	tested = await startDownloadServer();
});
after(() => tested.close());

const path = 'exports/small';
const succeeds = async (model: object, more: object = {}) => {
	const done = await tested.result({ model, ...more });
	assert.equal(done['Success'], true, JSON.stringify({ model, done }));
};
/** Refused before a byte is asked for. */
const refused = async (model: object, more: object = {}) => {
	const asked = tested.hub.requests.length;
	const response = await tested.download({ model, ...more });
	const body = (await response.json()) as {
		readonly error: { readonly code: string; readonly param: string };
		readonly Success: boolean;
		readonly ErrorMessage: string;
	};
	assert.equal(response.status, 409, JSON.stringify({ model, body }));
	assert.equal(body.error.code, 'conflict');
	assert.equal(body.Success, false);
	assert.equal(tested.hub.requests.length, asked, 'the hub was asked');
	return { message: body.ErrorMessage, param: body.error.param };
};
const manifestOf = async (name: string) => {
	const { folder = '' } = await tested.server.backend.host.resolve(name);
	return JSON.parse(await readFile(join(folder, 'nearglot.json'), 'utf8')) as Record<
		string,
		unknown
	>;
};

test('a model keeps the folder it came from, and its name goes to no other place', async () => {
	await succeeds({ Name: 'kept', Uri: tinyUri, Path: path });
	const before = await manifestOf('kept');
	assert.equal(before['path'], path);
	const page = `${tested.hub.url}/acme/tiny/tree/main/${path}`;
	for (const model of [
		{ Name: 'kept', Uri: tinyUri },
		{ Name: 'Kept:1', Uri: tinyUri, Path: 'exports' },
		{ Name: 'kept:latest', Uri: 'hf://acme/other', Path: path },
		{ Name: 'kept:01', Uri: `${tinyUri}/tree/v2/${path}` },
		{ Name: 'kept', Path: 'exports' },
	]) {
		const { message, param } = await refused(model);
		assert.equal(param, 'model.Name');
		assert.ok(message.includes(`kept:1 is on this machine already, from ${page} as q8`), message);
	}
	// By its name alone, and as it is listed, it is what it was.
	assert.equal((await tested.listed('kept:1'))?.uri, page);
	await succeeds({ Name: 'kept' });
	await succeeds({ Name: 'KEPT:latest', Uri: page });
	assert.deepEqual(await manifestOf('kept'), before);
});

test('a name without a version is the highest one for downloads as for use', async () => {
	await succeeds({ Name: 'many:2', Uri: tinyUri });
	await succeeds({ Name: 'many:10', Uri: tinyUri, Path: path });
	assert.equal((await tested.server.backend.host.resolve('many')).id, 'many:10');
	await refused({ Name: 'many', Uri: tinyUri });
	await succeeds({ Name: 'many', Uri: tinyUri, Path: path });
	await succeeds({ Name: 'many:3', Uri: tinyUri });
	const ids = (await tested.server.backend.host.list()).map(({ id }) => id);
	assert.deepEqual(ids.filter((id) => id.startsWith('many')).sort(), [
		'many:10',
		'many:2',
		'many:3',
	]);
});

test('names that differ in case only are one model in one folder', async () => {
	await succeeds({ Name: 'Mixed', Uri: tinyUri });
	await succeeds({ Name: 'mIXED:1', Uri: tinyUri });
	const folders = await readdir(join(tested.home, 'models'));
	assert.deepEqual(
		folders.filter((name) => /mixed/i.test(name)),
		['mixed@1'],
	);
	assert.equal((await tested.listed('Mixed:1'))?.alias, 'Mixed');
});

test('a hub id without a name is one model, too', async () => {
	await succeeds({ Uri: tinyUri });
	await succeeds({ Name: 'ACME/tiny' });
	assert.equal((await tested.listed('tiny:1'))?.alias, 'acme/tiny');
	await refused({ Name: 'acme/tiny', Path: path });
	await refused({ Uri: 'hf://other/tiny' });
});

test('the command line names a model and its folder, too', async () => {
	const ask = async (path: string) => {
		const body = { model: 'by-command', uri: 'hf://acme/tiny', path };
		const keyed = { headers: { ...tested.server.keyed } };
		return (await tested.server.post('/nearglot/models/download', body, keyed)).text();
	};
	assert.match(await ask(path), /"id":"by-command:1"/);
	assert.match(await ask('exports'), /by-command:1 is on this machine already/);
	assert.match(await ask('../exports'), /'model\.Path' leaves its folder/);
});

test('two downloads of one name run together only when they are of the same files', async () => {
	let begin = () => {};
	let go = () => {};
	const begun = new Promise<void>((resolve) => {
		begin = resolve;
	});
	const gate = new Promise<void>((resolve) => {
		go = resolve;
	});
	tested.hub.faults.onFile = async () => {
		begin();
		await gate;
		return false;
	};
	const first = tested.download({ model: { Name: 'twice', Uri: tinyUri } });
	await begun;
	const { message } = await refused({ Name: 'TWICE:1', Uri: tinyUri, Path: path });
	assert.match(message, /is being downloaded/);
	await refused({ Name: 'twice', Uri: 'hf://acme/other' });
	await refused({ Name: 'twice', Uri: tinyUri }, { customDirPath: join(tested.home, 'more') });
	const template = { user: '[U]{Content}' };
	const model = { Name: 'twice', Uri: tinyUri, PromptTemplate: template };
	const second = tested.download({ model });
	go();
	delete tested.hub.faults.onFile;
	for (const answer of await Promise.all([first, second]))
		assert.equal(lastOf(await answer.text())['Success'], true);
	assert.deepEqual((await manifestOf('twice'))['promptTemplate'], template);
});

test('a model that is here is not downloaded to another folder', async () => {
	const more = join(tested.home, 'more');
	await succeeds({ Name: 'settled', Uri: tinyUri }, { customDirPath: more });
	await succeeds({ Name: 'settled', Uri: tinyUri }, { customDirPath: more });
	await succeeds({ Name: 'settled', Uri: tinyUri });
	assert.equal(
		(await tested.server.backend.host.resolve('settled')).folder,
		join(more, 'settled@1'),
	);
	for (const name of ['settled', 'starter-chat']) {
		const customDirPath = join(more, 'else');
		const { message, param } = await refused({ Name: name }, { customDirPath });
		assert.equal(param, 'customDirPath');
		assert.match(message, /is in .+ already, so it is not downloaded to/);
	}
});

test('a folder that was not downloaded is never replaced', async () => {
	const folder = join(tested.home, 'models', 'mine@1');
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, 'notes.txt'), 'mine');
	const done = await tested.result({ model: { Name: 'mine', Uri: tinyUri } });
	assert.equal(done['Success'], false);
	assert.match(String(done['ErrorMessage']), /was not downloaded/);
	assert.deepEqual(await readdir(folder), ['notes.txt']);
});

test('nothing is downloaded into a folder that was registered where it lies', async () => {
	await succeeds({ Name: 'lender', Uri: tinyUri });
	const { folder = '' } = await tested.server.backend.host.resolve('lender');
	const shelf = join(tested.home, 'shelf');
	await cp(folder, join(shelf, 'lent'), { recursive: true });
	const manifest = { ...(await manifestOf('lender')), id: 'lent:1', name: 'lent', alias: 'lent' };
	await writeFile(join(shelf, 'lent', 'nearglot.json'), JSON.stringify(manifest));
	await tested.server.backend.models.register(shelf);
	const asked = tested.hub.requests.length;
	await succeeds({ Name: 'lent', Publisher: 'Somebody' });
	assert.equal(tested.hub.requests.length, asked);
	await refused({ Name: 'lent', Uri: tinyUri });
});

test('what a request has said of a model stays when it is asked for again, and letter case makes no difference', async () => {
	await succeeds({ Name: 'Told', Uri: tinyUri, Publisher: 'Wonder GmbH', ProviderType: 'MyHub' });
	await Promise.all([
		succeeds({ Name: 'told:1', Uri: tinyUri }),
		succeeds({ Name: 'TOLD:1', Uri: tinyUri }),
	]);
	const { publisher, providerType } = await manifestOf('told');
	assert.deepEqual(
		{ publisher, providerType },
		{ publisher: 'Wonder GmbH', providerType: 'MyHub' },
	);
});
