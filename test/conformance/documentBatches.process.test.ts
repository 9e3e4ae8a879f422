/** Batches of documents through the published client: files of this server, folders and stores its operator has named. */

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type * as sdk from '@azure-rest/ai-translation-document';
import { signPerson } from '../../server/gateway/identity/signedPerson.ts';
import { memberRole, personHeader, roleHeader } from '../../server/protocol/index.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';
import { until } from '../support/until.ts';

// It is a CommonJS module whose types say otherwise.
const {
	default: createClient,
	getLongRunningPoller,
	isUnexpected,
	paginate,
} = createRequire(import.meta.url)('@azure-rest/ai-translation-document') as typeof sdk;

/** A container with a signature, as blob stores have them. */
interface BlobStore {
	readonly url: string;
	readonly blobs: Map<string, Buffer>;
	readonly asked: string[];
	readonly server: Server;
	/** Blobs below `held/` are sent from now on. */
	readonly release: () => void;
}
const signature = 'sv=2020-04-08&sig=secret%2Bsignature';

async function startBlobStore(): Promise<BlobStore> {
	const blobs = new Map<string, Buffer>();
	const asked: string[] = [];
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	const server = createServer(async (request, response) => {
		const url = new URL(request.url ?? '', 'http://store');
		const line = `${request.method} ${url.pathname}`;
		const isFirst = !asked.includes(line);
		asked.push(line);
		if (isFirst && url.pathname.startsWith('/account/closed')) {
			request.socket.destroy();
			return response;
		}
		const end = (status: number, body: string | Buffer = '') =>
			response.writeHead(status).end(body);
		if (url.searchParams.get('sig') !== 'secret+signature') return end(403);
		if (url.pathname.startsWith('/account/moved/'))
			return response.writeHead(302, { location: '/account/in/a.md' }).end();
		if (url.searchParams.get('comp') === 'list') {
			const prefix = url.searchParams.get('prefix') ?? '';
			const from = Number(url.searchParams.get('marker') ?? 0);
			const container = `${url.pathname}/`;
			const names = [...blobs.keys()]
				.filter((name) => name.startsWith(container + prefix))
				.map((name) => name.slice(container.length));
			const rows = names
				.slice(from, from + 1)
				.map((name) => `<Blob><Name>${name.replaceAll('&', '&amp;')}</Name></Blob>`);
			const next = from + 1 < names.length ? String(from + 1) : '';
			return end(
				200,
				`<?xml version="1.0"?><EnumerationResults><Blobs>${rows.join('')}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`,
			);
		}
		const name = decodeURIComponent(url.pathname);
		if (request.method === 'PUT') {
			assert.equal(request.headers['x-ms-blob-type'], 'BlockBlob');
			if (blobs.has(name) && request.headers['if-none-match'] === '*') return end(409);
			const parts: Buffer[] = [];
			for await (const part of request) parts.push(part as Buffer);
			blobs.set(name, Buffer.concat(parts));
			return end(201);
		}
		if (name.startsWith('/account/held/')) await released;
		const found = blobs.get(name);
		return found === undefined ? end(404) : end(200, found);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return { url: `http://127.0.0.1:${port}/account`, blobs, asked, server, release };
}

let server: TranslateServer;
let store: BlobStore;
let client: ReturnType<typeof createClient>;
const folder = temporaryFolder('documents');
before(async () => {
	store = await startBlobStore();
	await mkdir(join(folder, 'in/sub'), { recursive: true });
	server = await startTranslateServer({
		env: { NEARGLOT_DOCUMENT_STORES: `${store.url}/ ${pathToFileURL(folder)}` },
		settings: { jobs: { tickMs: 30, width: 2 } },
	});
	const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
	client = createClient(server.url, { key: server.key }, options);
});
after(async () => {
	await server.close();
	store.server.close();
});

const upload = async (name: string, text: string | Uint8Array<ArrayBuffer>): Promise<string> => {
	const body = new FormData();
	body.append('purpose', 'user_data');
	body.append('file', new Blob([text]), name);
	const response = await fetch(`${server.url}/v1/files`, {
		...{ method: 'POST', body, headers: server.keyed },
	});
	return ((await response.json()) as { id: string }).id;
};
const download = async (url: string): Promise<string> => {
	const response = await fetch(url, { headers: server.keyed });
	assert.equal(response.status, 200, url);
	return response.text();
};

async function begin(inputs: sdk.BatchRequest[]): Promise<sdk.StartTranslation202Response> {
	const started = await client.path('/document/batches').post({ body: { inputs } });
	if (isUnexpected(started)) throw new Error(JSON.stringify(started.body));
	return started;
}

async function run(inputs: sdk.BatchRequest[]) {
	const started = await begin(inputs);
	const poller = await getLongRunningPoller(client, started, { intervalInMs: 20 });
	await poller.pollUntilDone();
	const id = new URL(started.headers['operation-location']).pathname.split('/').at(-1) ?? '';
	const shown = await client.path('/document/batches/{id}', id).get();
	const listed = await client.path('/document/batches/{id}/documents', id).get();
	if (isUnexpected(shown) || isUnexpected(listed)) throw new Error(JSON.stringify(shown.body));
	return { id, operation: shown.body, documents: listed.body.value };
}

const refused = async (
	inputs: unknown,
): Promise<{ status: string; code: string; message: string }> => {
	const body = { inputs } as sdk.StartTranslationDetails;
	const response = await client.path('/document/batches').post({ body });
	assert.ok(isUnexpected(response), response.status);
	const { error } = response.body as unknown as {
		error: { message: string; innerError: { code: string } };
	};
	return { status: response.status, code: error.innerError.code, message: error.message };
};

test('uploaded files are translated into several languages, with a glossary, and can be fetched', async () => {
	const [page, glossary] = [
		await upload('guide.md', '# Open\n\nSee the [test](a.md).\n'),
		await upload('terms.csv', 'test,Prüfung\n'),
	];
	const { operation, documents } = await run([
		{
			storageType: 'File',
			source: { sourceUrl: `${server.url}/v1/files/${page}/content`, language: 'en' },
			targets: [
				{
					...{ targetUrl: `${server.url}/v1/files`, language: 'de' },
					glossaries: [{ glossaryUrl: `${server.url}/v1/files/${glossary}`, format: 'csv' }],
				},
				{ targetUrl: `${server.url}/v1/files/leitfaden.fr.md`, language: 'fr' },
			],
		},
	]);
	assert.equal(operation.status, 'Succeeded');
	const { summary } = operation;
	assert.deepEqual([summary.total, summary.success, summary.failed], [2, 2, 0]);
	assert.ok(summary.totalCharacterCharged > 10);
	const [de, fr] = documents;
	assert.deepEqual([de?.to, de?.status, de?.progress], ['de', 'Succeeded', 1]);
	assert.equal(de?.sourcePath, `${server.url}/v1/files/${page}/content`);
	assert.equal(await download(de?.path ?? ''), '# OPEN\n\nSEE THE [Prüfung](a.md).\n');
	assert.equal(await download(fr?.path ?? ''), '# OPEN\n\nSEE THE [TEST](a.md).\n');
	const names = await Promise.all(
		[de, fr].map(async (one) =>
			JSON.parse(await download((one?.path ?? '').replace('/content', ''))),
		),
	);
	assert.deepEqual(
		names.map(({ filename, purpose }) => [filename, purpose]),
		[
			['guide.de.md', 'batch_output'],
			['leitfaden.fr.md', 'batch_output'],
		],
	);
});

test('long texts in other encodings come back in them, in batches and one at a time', async () => {
	const page = (words: string) =>
		new Uint8Array(
			Buffer.from(
				`<meta charset="iso-8859-1"><p>${words} caf\xe9</p>${'<code>\xe9</code>\n'.repeat(80_000)}`,
				'latin1',
			),
		);
	const made = page('OPEN THE').map((byte, at) =>
		byte >= 0x61 && byte <= 0x7a && at > 30 && at < 45 ? byte - 0x20 : byte,
	);
	made[made.indexOf(0xe9)] = 0xc9;
	const isMade = (bytes: Uint8Array) => Buffer.from(bytes).equals(Buffer.from(made));
	const { documents } = await run([
		{
			storageType: 'File',
			source: {
				sourceUrl: `${server.url}/v1/files/${await upload('a.html', page('Open the'))}`,
				language: 'en',
			},
			targets: [{ targetUrl: `${server.url}/v1/files`, language: 'de' }],
		},
	]);
	const answer = await fetch(documents[0]?.path ?? '', { headers: server.keyed });
	assert.ok(isMade(new Uint8Array(await answer.arrayBuffer())), JSON.stringify(documents));
	const form = new FormData();
	form.set('document', new Blob([page('Open the')]), 'a.html');
	const query = 'api-version=2024-05-01&targetLanguage=de&sourceLanguage=en';
	const response = await fetch(`${server.url}/translator/document:translate?${query}`, {
		...{ method: 'POST', body: form, headers: server.keyed },
	});
	assert.equal(response.status, 200);
	assert.ok(isMade(new Uint8Array(await response.arrayBuffer())));
});

test('with the same Idempotency-Key a request makes one batch', async () => {
	const [good, gone] = [await upload('good.md', '# Open\n'), await upload('gone.md', '# Close\n')];
	const inputs = [good, gone].map((id) => ({
		storageType: 'File',
		source: { sourceUrl: `${server.url}/v1/files/${id}`, language: 'en' },
		targets: [{ targetUrl: `${server.url}/v1/files`, language: 'de' }],
	}));
	const start = async (body: object) => {
		const response = await fetch(
			`${server.url}/translator/document/batches?api-version=2024-05-01`,
			{
				...{ method: 'POST', body: JSON.stringify(body) },
				headers: {
					...server.keyed,
					...{ 'content-type': 'application/json', 'idempotency-key': 'one key' },
				},
			},
		);
		await response.text();
		return { status: response.status, at: response.headers.get('operation-location') ?? '' };
	};
	const first = await start({ inputs });
	assert.equal(first.status, 202);
	await fetch(`${server.url}/v1/files/${gone}`, { method: 'DELETE', headers: server.keyed });
	assert.deepEqual(await start({ inputs }), first);
	assert.equal((await start({ inputs: inputs.slice(1) })).status, 409);
});

test('what has failed is tried again as a batch of its own length, and a list that was deleted is said to be', async () => {
	const [good, bad] = [await upload('good.md', '# Open\n'), await upload('bad.docx', 'no archive')];
	const first = await run(
		[good, bad].map((id) => ({
			storageType: 'File',
			source: { sourceUrl: `${server.url}/v1/files/${id}`, language: 'en' },
			targets: [{ targetUrl: `${server.url}/v1/files`, language: 'de' }],
		})),
	);
	assert.deepEqual([first.operation.summary.total, first.operation.summary.failed], [2, 1]);
	const retried = await fetch(`${server.url}/v1/batches/${first.id}/retry`, {
		...{ method: 'POST', headers: server.keyed },
	});
	const { id, input_file_id: list } = (await retried.json()) as {
		id: string;
		input_file_id: string;
	};
	const shown = async () => {
		const answer = await client.path('/document/batches/{id}', id).get();
		if (isUnexpected(answer)) throw new Error(JSON.stringify(answer.body));
		return answer.body;
	};
	await until('it ends', async () => !/NotStarted|Running/.test((await shown()).status));
	const { total, failed, cancelled } = (await shown()).summary;
	assert.deepEqual([total, failed, cancelled], [1, 1, 0]);
	await fetch(`${server.url}/v1/files/${list}`, { method: 'DELETE', headers: server.keyed });
	const documents = await client.path('/document/batches/{id}/documents', id).get();
	assert.equal(documents.status, '404');
	assert.match(
		JSON.stringify(documents.body),
		/The list of the documents of this batch was deleted/,
	);
});

test('a container is listed page by page, read and written with its signature, which nobody is shown', async () => {
	store.blobs.set('/account/in/a.md', Buffer.from('# One & two'));
	store.blobs.set('/account/in/sub dir/b&c.json', Buffer.from('{"k":"Some words"}'));
	store.blobs.set('/account/in/skip.txt', Buffer.from('No.'));
	store.blobs.set('/account/in/bad.json', Buffer.from('{"a":'));
	const { operation, documents, id } = await run([
		{
			source: {
				sourceUrl: `${store.url}/in?${signature}`,
				language: 'en',
				storageSource: 'AzureBlob',
			},
			targets: [{ targetUrl: `${store.url}/out?${signature}`, language: 'de' }],
		},
	]);
	assert.deepEqual(
		documents.map(({ sourcePath, status }) => [sourcePath.slice(store.url.length), status]),
		[
			['/in/a.md', 'Succeeded'],
			['/in/sub%20dir/b%26c.json', 'Succeeded'],
			['/in/skip.txt', 'Succeeded'],
			['/in/bad.json', 'Failed'],
		],
	);
	assert.deepEqual([operation.summary.success, operation.summary.failed], [3, 1]);
	assert.equal(store.blobs.get('/account/out/a.md')?.toString(), '# ONE & TWO');
	assert.equal(store.blobs.get('/account/out/sub dir/b&c.json')?.toString(), '{"k":"SOME WORDS"}');
	const bad = documents.at(-1);
	assert.match(bad?.error?.message ?? '', /line 1, column/);
	assert.ok(!JSON.stringify([documents, operation]).includes('signature'));
	const one = await client
		.path('/document/batches/{id}/documents/{documentId}', id, bad?.id ?? '')
		.get();
	assert.deepEqual(one.body, bad);
});

test('a store that sends nothing holds up its own batch alone', async () => {
	const names = ['a.md', 'b.md', 'c.md', 'd.md'];
	for (const name of names) store.blobs.set(`/account/held/${name}`, Buffer.from('# Held'));
	// More of them than the two that are worked on at a time.
	const held = run([
		{
			source: { sourceUrl: `${store.url}/held?${signature}`, language: 'en' },
			targets: [{ targetUrl: `${store.url}/let?${signature}`, language: 'de' }],
		},
	]);
	const page = await upload('other.md', 'Some words.\n');
	const other = await run([
		{
			storageType: 'File',
			source: { sourceUrl: `${server.url}/v1/files/${page}/content`, language: 'en' },
			targets: [{ targetUrl: `${server.url}/v1/files`, language: 'de' }],
		},
	]);
	assert.equal(other.operation.status, 'Succeeded');
	assert.ok(![...store.blobs.keys()].some((name) => name.startsWith('/account/let/')));
	store.release();
	const { operation } = await held;
	assert.deepEqual([operation.summary.success, operation.summary.failed], [4, 0]);
	for (const name of names)
		assert.equal(store.blobs.get(`/account/let/${name}`)?.toString(), '# HELD');
});

test('folders of the operator are read and written, and nothing beside them', async () => {
	await writeFile(join(folder, 'in/a.md'), 'Open the file.');
	await writeFile(join(folder, 'in/sub/b.txt'), 'Save it.');
	await symlink('/etc', join(folder, 'in/etc'), 'junction');
	await symlink('/etc', join(folder, 'etc'), 'junction');
	const from = String(pathToFileURL(join(folder, 'in')));
	const { documents } = await run([
		{
			source: { sourceUrl: from, language: 'en', filter: { suffix: '.txt', prefix: 'sub/' } },
			targets: ['de', 'fr'].map((language) => ({
				...{ language, targetUrl: String(pathToFileURL(join(folder, 'out', language))) },
			})),
		},
	]);
	assert.deepEqual(
		documents.map(({ status, path }) => [status, path]),
		['de', 'fr'].map((language) => [
			...['Succeeded', String(pathToFileURL(join(folder, 'out', language, 'sub/b.txt')))],
		]),
	);
	assert.equal(await readFile(join(folder, 'out/de/sub/b.txt'), 'utf8'), 'SAVE IT.');
	assert.deepEqual(await readdir(join(folder, 'out/de')), ['sub']);
	const target = { targetUrl: `${from}/out`, language: 'de' };
	for (const sourceUrl of [
		'file:///etc',
		`${pathToFileURL(folder)}-beside`,
		`${pathToFileURL(folder)}/../..`,
		`${pathToFileURL(folder)}/..%2f..%2fetc`,
		'http://127.0.0.1:1/account/in',
		`${store.url.replace('http:', 'https:')}/in`,
		`${store.url}-other/in`,
		`${store.url}/..%2fprivate`,
		'https://user:password@example.com/in',
	]) {
		const { status, message } = await refused([{ source: { sourceUrl }, targets: [target] }]);
		assert.ok(status === '403' || status === '400', `${sourceUrl}: ${status} ${message}`);
	}
	const viaLink = await refused([
		{ source: { sourceUrl: `${pathToFileURL(folder)}/etc` }, targets: [target] },
	]);
	assert.equal(viaLink.status, '404', viaLink.message);
	await writeFile(join(folder, 'in/c.md'), 'Open.');
	const { documents: written } = await run([
		{
			storageType: 'File',
			source: { sourceUrl: `${from}/c.md`, language: 'en' },
			targets: [{ targetUrl: `${pathToFileURL(folder)}/etc/nearglot.md`, language: 'de' }],
		},
	]);
	assert.equal(written[0]?.status, 'Failed');
	assert.match(written[0]?.error?.message ?? '', /leads out of/);
});

test('no document is written over another: neither over its source, nor over what a store has', async () => {
	await writeFile(join(folder, 'in/own.md'), 'Open the file.');
	await writeFile(join(folder, 'out-kept.md'), 'Written by hand.');
	store.blobs.set('/account/kept/a.md', Buffer.from('Written by hand.'));
	store.blobs.set('/account/same/a.md', Buffer.from('OPEN THE FILE.'));
	const own = String(pathToFileURL(join(folder, 'in/own.md')));
	const to = async (targetUrl: string) => {
		const source = { sourceUrl: own, language: 'en' };
		const targets = [{ targetUrl, language: 'de' }];
		const { documents } = await run([{ storageType: 'File', source, targets }]);
		return [documents[0]?.status, documents[0]?.error?.message ?? ''] as const;
	};
	for (const target of [
		own,
		String(pathToFileURL(join(folder, 'out-kept.md'))),
		`${store.url}/kept/a.md?${signature}`,
	]) {
		const [status, message] = await to(target);
		assert.equal(status, 'Failed', target);
		assert.match(message, /another document .* stays as it is/);
		assert.ok(!message.includes('signature'), message);
	}
	assert.equal(await readFile(join(folder, 'in/own.md'), 'utf8'), 'Open the file.');
	assert.equal(await readFile(join(folder, 'out-kept.md'), 'utf8'), 'Written by hand.');
	assert.equal(String(store.blobs.get('/account/kept/a.md')), 'Written by hand.');
	// What a try before has written is there already.
	const same = String(pathToFileURL(join(folder, 'out-same.md')));
	for (const target of [same, same, `${store.url}/same/a.md?${signature}`])
		assert.deepEqual(await to(target), ['Succeeded', '']);
});

test('what is wrong with a request is said at once; what only its store knows, of the document', async () => {
	const target = { targetUrl: `${store.url}/out2?${signature}`, language: 'de' };
	const source = { sourceUrl: `${store.url}/in/a.md?${signature}` };
	const file = { storageType: 'File' };
	for (const [inputs, code, message] of [
		[[], 'InvalidRequest', /'inputs' must be an array with at least 1/],
		[[{ source, targets: [] }], 'InvalidRequest', /targets/],
		[
			[{ ...file, source, targets: [{ ...target, language: 'xx' }] }],
			'InvalidTargetLanguage',
			/xx/,
		],
		[
			[{ ...file, source: { ...source, language: 'yy' }, targets: [target] }],
			...(['InvalidSourceLanguage', /yy/] as const),
		],
		[
			[{ ...file, source, targets: [target], more: 1 }],
			'InvalidRequest',
			/'inputs\[0\].more' is not/,
		],
		[[{ ...file, source, targets: [target, target] }], 'InvalidRequest', /Two translations/],
		[
			[{ source: { sourceUrl: `${store.url}/none?${signature}` }, targets: [target] }],
			...(['InvalidRequest', /no document/] as const),
		],
	] as const) {
		const said = await refused(inputs);
		assert.deepEqual([said.status, said.code], ['400', code], said.message);
		assert.match(said.message, message);
	}
	const { documents, operation } = await run([
		{
			...{ storageType: 'File', source: { sourceUrl: `${store.url}/in/gone.md?${signature}` } },
			targets: [target],
		},
		{
			...{ storageType: 'File', source: { sourceUrl: `${store.url}/moved/a.md?${signature}` } },
			targets: [{ ...target, targetUrl: `${store.url}/out3?${signature}` }],
		},
		{
			...{ storageType: 'File', source: { sourceUrl: `${store.url}/in/a.md` } },
			targets: [{ ...target, targetUrl: `${store.url}/out4?${signature}` }],
		},
	]);
	assert.equal(operation.status, 'Failed');
	assert.deepEqual(
		documents.map(({ error }) => error?.message.match(/nothing|302|signature/)?.[0]),
		['nothing', '302', 'signature'],
	);
});

test('a store that closes a connection as it is used is asked once more', async () => {
	store.blobs.set('/account/closed/a.md', Buffer.from('Open the file.\n'));
	const { operation, documents } = await run([
		{
			...{ storageType: 'File', source: { sourceUrl: `${store.url}/closed/a.md?${signature}` } },
			targets: [{ targetUrl: `${store.url}/closed-de/a.md?${signature}`, language: 'de' }],
		},
	]);
	assert.deepEqual([operation.status, documents[0]?.error], ['Succeeded', undefined]);
	assert.equal(String(store.blobs.get('/account/closed-de/a.md')), 'OPEN THE FILE.\n');
	const asked = store.asked.filter((line) => line.includes('/closed'));
	assert.deepEqual(
		[...new Set(asked)].map((line) => asked.filter((one) => one === line).length),
		[2, 2],
	);
});

test('batches are listed in pages, filtered, and cancelled; they are of whoever made them', async () => {
	const id = await upload('long.md', 'Open the file.\n');
	const inputs = [
		{
			storageType: 'File',
			source: { sourceUrl: `/v1/files/${id}`, language: 'en' },
			targets: [{ targetUrl: '/v1/files', language: 'de' }],
		},
	];
	await run(inputs);
	await run(inputs);
	server.engine.gate = new Promise(() => {});
	const started = await begin(inputs);
	const own = new URL(started.headers['operation-location']).pathname.split('/').at(-1) ?? '';
	const cancelled = await client.path('/document/batches/{id}', own).delete();
	assert.ok(!isUnexpected(cancelled));
	assert.match(cancelled.body.status, /^Cancell/);
	const poller = await getLongRunningPoller(client, started, { intervalInMs: 20 });
	await poller.pollUntilDone().catch((error) => assert.match(String(error), /cancel/i));
	server.engine.gate = undefined;
	const again = await client.path('/document/batches/{id}', own).delete();
	assert.equal(again.status, '400');
	const documents = await client.path('/document/batches/{id}/documents', own).get();
	assert.ok(!isUnexpected(documents));
	assert.deepEqual(
		documents.body.value.map(({ status }) => status),
		['Cancelled'],
	);
	const first = await client
		.path('/document/batches')
		.get({ queryParameters: { maxpagesize: 2, statuses: ['Succeeded', 'Cancelled'] } });
	assert.ok(!isUnexpected(first));
	assert.equal(first.body.value.length, 2);
	const all: sdk.TranslationStatusOutput[] = [];
	for await (const one of paginate(client, first)) all.push(one);
	assert.equal(new Set(all.map((one) => one.id)).size, all.length);
	assert.equal(all[0]?.id, own);
	assert.ok(all.length >= 3, String(all.length));
	const top = await client.path('/document/batches').get({
		queryParameters: { top: 1, skip: 1, orderby: ['createdDateTimeUtc asc'] },
	});
	assert.ok(!isUnexpected(top) && top.body.value.length === 1 && top.body.nextLink === undefined);
	const wrong = await client
		.path('/document/batches')
		.get({ queryParameters: { orderby: ['id'] } });
	assert.equal(wrong.status, '400');
	const member = await fetch(
		`${server.url}/translator/document/batches/${own}?api-version=2024-05-01`,
		{
			headers: {
				[roleHeader]: memberRole,
				[personHeader]: signPerson(server.key, `sid:${'0'.repeat(32)}`, Date.now()),
			},
		},
	);
	assert.equal(member.status, 404);
});
