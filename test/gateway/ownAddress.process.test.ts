/** Without `publicUrl` a layer answers at the address it says that it listens on, whichever port it got. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hostKinds } from '../../server/gateway/access/hosts.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { TestApp } from './support/app.ts';
import { type GatewayProcess, startWith } from './support/gatewayProcess.ts';
import { browserHeaders } from './support/harness.ts';
import { rawCall } from './support/rawHttp.ts';

const app = new TestApp();
const folder = temporaryFolder('own-address');

before(async () => {
	await app.listen();
});
after(async () => {
	await app[Symbol.asyncDispose]();
});

/** Status and `Location` for a program and for a browser that name the layer so. */
async function ask({ port }: GatewayProcess, target: string, name = 'localhost') {
	const host = `${name}:${port}`;
	const program = await rawCall(port, { target, host });
	const browser = await rawCall(port, { target, host, headers: browserHeaders });
	return [program.status, browser.status, browser.header('location') ?? ''] as const;
}

function start(...options: string[]): Promise<GatewayProcess> {
	return startWith(['--upstream', app.url, ...options], join(folder, 'home'));
}

function configFile(): string {
	const path = join(folder, 'auth.json');
	const registration = { clientId: 'a', clientSecretSettingName: 'CORP_SECRET' };
	writeFileSync(
		path,
		JSON.stringify({
			identityProviders: { gitHub: { registration } },
			'x-gateway': { store: { path: ':memory:' } },
		}),
	);
	return path;
}

for (const mode of ['emulated', 'real'] as const)
	test(`${mode} providers on a free port: the address answers, and a login comes back to it`, async () => {
		await using layer = await start(
			...(mode === 'real' ? ['--config', configFile()] : ['--emulate']),
		);
		const publicUrl = `http://localhost:${layer.port}`;
		assert.deepEqual(await ask(layer, '/.auth/providers'), [200, 200, '']);
		const { host, providers } = (await (await fetch(`${layer.url}/.auth/providers`)).json()) as {
			host: string;
			providers: { loginUrl: string }[];
		};
		assert.equal(host, publicUrl);
		for (const { loginUrl } of providers) assert.equal(new URL(loginUrl).origin, publicUrl);
		// The cookie of a login that began under another name would not come back.
		const path = '/.auth/login/github?post_login_redirect_uri=/a';
		const [, status, location] = await ask(layer, path, '127.0.0.1');
		assert.deepEqual([status, location], [307, publicUrl + path]);
		const [, begun, provider] = await ask(layer, path);
		assert.equal(begun, 302);
		const callback = new URL(provider).searchParams.get('redirect_uri');
		if (mode === 'real') assert.equal(callback, `${publicUrl}/.auth/login/github/callback`);
		else assert.equal(new URL(provider).origin, publicUrl);
	});

test('another address of this computer is the public one when the layer listens there', {
	skip: process.platform === 'darwin' && 'macOS has 127.0.0.1 only',
}, async () => {
	for (const mode of [['--emulate'], ['--config', configFile()]]) {
		await using layer = await start(...mode, '--host', '127.0.0.2');
		assert.equal(new URL(layer.url).hostname, '127.0.0.2');
		assert.equal((await fetch(`${layer.url}/.auth/providers`)).status, 200);
	}
});

test('names of this computer stand for an address of its own only, never for a given one', () => {
	const publicUrl = new URL('http://localhost:80');
	const own = hostKinds({ publicUrl, publicUrlGiven: false, otherHosts: ['more.example'] });
	assert.deepEqual(
		['localhost', 'localhost:80', '127.0.0.1', '[::1]:80', '127.0.0.1:81', 'more.example', 'x'].map(
			own,
		),
		['served', 'served', 'alias', 'alias', 'foreign', 'served', 'foreign'],
	);
	const given = hostKinds({ publicUrl, publicUrlGiven: true, otherHosts: [] });
	assert.deepEqual(['localhost', '127.0.0.1'].map(given), ['served', 'foreign']);
});
