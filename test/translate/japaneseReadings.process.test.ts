/** The dictionary of Japanese readings: fetched, checked, and what happens without it. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { createHubHttp, type HubHttp } from '../../server/hub/http.ts';
import { AppError } from '../../server/protocol/index.ts';
import {
	fetchReadings,
	readingsPackage,
} from '../../server/services/translate/japaneseReadings.ts';
import { addAssetFolder, assetPath } from '../../server/translate/asset.ts';
import { kanaOnly } from '../../server/translate/scripts/converters.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

let archive = Buffer.alloc(0);
let http: HubHttp;
const home = temporaryFolder('readings');
const server = createServer((request, response) => {
	if (request.url === '/mirror/kuromoji.tgz') response.end(archive);
	else response.writeHead(404).end();
});

before(async () => {
	const tar = pack();
	tar.entry({ name: 'package/dict/base.dat.gz' }, 'words');
	tar.entry({ name: 'package/README.md' }, 'not wanted');
	tar.finalize();
	archive = gzipSync(await buffer(tar));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	http = createHubHttp({ endpoint: `http://127.0.0.1:${port}/mirror` });
});
after(async () => {
	http.close();
	server.close();
});

const signal = new AbortController().signal;
const sha512 = () => createHash('sha512').update(archive).digest('base64');

test('the dictionary is fetched, checked and found beside the bundled data', async () => {
	const assets = join(home, 'assets');
	const folder = join(assets, 'data/translate/kuromoji');
	await fetchReadings(http, folder, signal, { path: '/kuromoji.tgz', sha512: sha512() });
	assert.deepEqual(await readdir(folder), ['base.dat.gz']);
	assert.equal(await readFile(join(folder, 'base.dat.gz'), 'utf8'), 'words');
	assert.deepEqual(
		await readdir(join(assets, 'data/translate')),
		['kuromoji'],
		'nothing is left over',
	);
	assert.throws(() => assetPath('data/translate/kuromoji/base.dat.gz', 'no-such-package/x'));
	addAssetFolder(assets);
	assert.equal(
		assetPath('data/translate/kuromoji/base.dat.gz', 'no-such-package/x'),
		join(folder, 'base.dat.gz'),
	);
});

test('another file than the known one, and a refusal, leave nothing behind', async () => {
	const folder = join(home, 'never');
	await assert.rejects(
		fetchReadings(http, folder, signal, { ...readingsPackage, path: '/kuromoji.tgz' }),
		/damaged/,
	);
	await assert.rejects(fetchReadings(http, folder, signal), /answered 404.*npm_config_registry/);
	assert.equal(existsSync(folder), false);
});

test('the hash is that of the version in use', async () => {
	const lock = JSON.parse(
		await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8'),
	) as { packages: Record<string, { version: string; integrity: string }> };
	const entry = lock.packages['node_modules/kuromoji'];
	assert.equal(`sha512-${readingsPackage.sha512}`, entry?.integrity);
	assert.ok(readingsPackage.path.endsWith(`-${entry?.version}.tgz`));
});

test('without the dictionary kana are still read, and kanji are refused with the way to get it', () => {
	const missing = new AppError('model_not_found', 'Get it with: nearglot systems readings');
	const convert = kanaOnly((text) => `<${text}>`, missing);
	assert.equal(convert('さようなら、カメラ 123'), '<さようなら、カメラ 123>');
	assert.throws(() => convert('今日は'), missing);
});
