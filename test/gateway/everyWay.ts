/**
 * Uses the sign-in layer as a team does, as the process that runs in production: a person signs in at a
 * provider, reaches the app, gets new tokens, signs out; a client does so with a token of its own. Says on standard
 * output what was answered. With `leak` it also does what the trap must catch.
 */

import { lookup } from 'node:dns';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestApp } from './support/app.ts';
import { FakeProvider } from './support/fakeProvider.ts';
import { startProcess } from './support/gatewayProcess.ts';
import { baseConfig, browserHeaders, merge, pair, sessionOf } from './support/harness.ts';
import { type RawAnswer, rawCall } from './support/rawHttp.ts';

await using provider = new FakeProvider();
await provider.listen();
await using app = new TestApp();
await app.listen();
const folder = join(tmpdir(), 'nearglot-gateway');
mkdirSync(folder);
const config = join(folder, 'auth.json');
const store = { 'x-gateway': { store: { path: join(folder, 'sessions.db') } } };
writeFileSync(config, JSON.stringify(merge(baseConfig(provider), store)));
const gateway = await startProcess(config, app.url);
const answers: Record<string, number> = {};

async function go(name: string, target: string, headers: readonly string[] = [], body?: object) {
	const answer: RawAnswer = await rawCall(gateway.port, {
		target,
		headers: [...(body ? ['Content-Type: application/json'] : browserHeaders), ...headers],
		...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
	});
	answers[name] = answer.status;
	return answer;
}

const begun = await go('login', '/.auth/login/corp?post_login_redirect_uri=%2Fapp');
const back = provider.authorize(begun.header('location') ?? '');
const state = `Cookie: ${begun.setCookies().map(pair).join('; ')}`;
const done = await go('callback', back.pathname + back.search, [state]);
const cookie = `Cookie: ${sessionOf(done)}`;
await go('app', '/app', [cookie]);
await go('me', '/.auth/me', [cookie]);
await go('refresh', '/.auth/refresh', [cookie]);
const token = await go('client login', '/.auth/login/corp', [], {
	id_token: await provider.sign(provider.claims),
});
const { authenticationToken } = token.json() as { authenticationToken: string };
await go('client call', '/api', [`X-ZUMO-AUTH: ${authenticationToken}`]);
await go('logout', '/.auth/logout', [cookie]);
await go('after', '/app', [cookie]);
await go('stranger', '/.auth/login/nobody');
if (process.argv[2] === 'leak') {
	await new Promise((resolve) => lookup('collector.example', resolve));
	writeFileSync(join(process.env['HOME'] ?? '', 'left'), 'x');
}
const ended = new Promise((resolve) => gateway.child.once('exit', resolve));
gateway.child.kill('SIGTERM');
await ended;
process.stdout.write(`${JSON.stringify({ answers, refreshCalls: provider.refreshCalls })}\n`);
