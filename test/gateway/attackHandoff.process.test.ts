/** Attack rows 70 to 75b: handing a sign-in to an editor. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { checkPhrase } from '../../server/gateway/session/pkce.ts';
import { browserHeaders, Harness } from './support/harness.ts';
import type { RawAnswer } from './support/rawHttp.ts';

const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');
const callback = 'vscode://acme.ext/signed-in?nonce=n1';

let h: Harness;
let cookie: string;
before(async () => {
	h = await Harness.start();
	cookie = await h.signIn();
});
after(() => h[Symbol.asyncDispose]());

const handoffPath = (values: Record<string, string> = {}) =>
	`/.auth/handoff?${new URLSearchParams({ callback, code_challenge: challenge, code_challenge_method: 'S256', ...values })}`;

function pageState(page: RawAnswer): string {
	const match = /name="page" value="([^"]+)"/.exec(page.body);
	assert.ok(match, page.body);
	return match[1]!;
}

function confirm(
	state: string,
	headers: readonly string[] = [],
	withCookie = cookie,
	extra = '',
): Promise<RawAnswer> {
	return h.call({
		method: 'POST',
		target: '/.auth/handoff',
		headers: [
			'Content-Type: application/x-www-form-urlencoded',
			`Cookie: ${withCookie}`,
			...(headers.length > 0 ? headers : browserHeaders),
		],
		body: `page=${encodeURIComponent(state)}${extra}`,
	});
}

async function newCode(): Promise<string> {
	const done = await confirm(pageState(await h.navigate(handoffPath(), cookie)));
	assert.equal(done.status, 303, done.body);
	const url = new URL(done.header('location')!);
	assert.equal(url.searchParams.get('nonce'), 'n1');
	return url.searchParams.get('code')!;
}

const redeem = (code: string, with_ = verifier, name = 'corp') =>
	h.call({
		method: 'POST',
		target: `/.auth/login/${name}/token`,
		headers: ['Content-Type: application/json'],
		body: JSON.stringify({ authorization_code: code, code_verifier: with_ }),
	});

test('the hand-off gives the editor a session of its own, by POST or GET', async () => {
	const page = await h.navigate(handoffPath(), cookie);
	assert.equal(page.status, 200);
	assert.ok(page.body.includes(checkPhrase(challenge)));
	assert.match(page.body, /alice@corp\.example/);
	assert.match(page.header('content-security-policy')!, /form-action 'self' vscode:/);
	const answer = await redeem(await newCode());
	assert.equal(answer.status, 200);
	const { authenticationToken } = answer.json() as { authenticationToken: string };
	assert.equal((await h.get('/x', [`X-ZUMO-AUTH: ${authenticationToken}`])).status, 200);
	const byGet = await h.get(
		`/.auth/login/corp/token?authorization_code=${await newCode()}&code_verifier=${verifier}`,
	);
	assert.equal(byGet.status, 200);
	const shown = await confirm(
		pageState(await h.navigate(handoffPath(), cookie)),
		[],
		cookie,
		'&show=code',
	);
	const code = /corp\.([\w-]{43})/.exec(shown.body)?.[1];
	assert.equal((await redeem(code!)).status, 200);
});

test('row 70: unknown, used, wrongly proven and old codes are 401, and a wrong proof burns the code', async () => {
	assert.equal((await redeem('A'.repeat(43))).status, 401);
	assert.equal((await redeem('')).status, 400);
	const used = await newCode();
	assert.equal((await redeem(used)).status, 200);
	assert.equal((await redeem(used)).status, 401);
	const burnt = await newCode();
	assert.equal((await redeem(burnt, 'w'.repeat(43))).status, 401);
	assert.equal((await redeem(burnt)).status, 401);
	const old = await newCode();
	h.advance(61_000);
	assert.equal((await redeem(old)).status, 401);
});

test('row 70: other methods and short or missing challenges are 400', async () => {
	const bad = [
		{ code_challenge_method: 'plain' },
		{ code_challenge_method: '' },
		{ code_challenge: '' },
		{ code_challenge: 'short' },
		{ code_challenge: `${challenge}x` },
		{ code_challenge: verifier.replace(/v/g, '!') },
	];
	for (const values of bad as Record<string, string>[]) {
		assert.equal(
			(await h.navigate(handoffPath(values), cookie)).status,
			400,
			JSON.stringify(values),
		);
		assert.equal(
			(
				await h.navigate(
					`/.auth/login/corp?post_login_redirect_uri=${encodeURIComponent(handoffPath(values))}`,
				)
			).status,
			400,
		);
	}
});

test('row 70a: a token is not put into an address that any local program can claim', async () => {
	for (const url of ['vscode://acme.ext/signed-in', 'http://127.0.0.1:4711/signed-in']) {
		const target = `/.auth/login/corp?session_mode=token&post_login_redirect_uri=${encodeURIComponent(url)}`;
		assert.equal((await h.navigate(target)).status, 400, url);
		const done = await h.finish(
			await h.navigate(`${target}&code_challenge=${challenge}&code_challenge_method=S256`),
		);
		const [address, fragment] = done.header('location')!.split('#');
		assert.equal(address, url);
		assert.match(fragment!, /^authorization_code=[\w-]{43}$/);
		assert.equal((await redeem(fragment!.split('=')[1]!)).status, 200);
	}
	const spa = await h.finish(
		await h.navigate(
			`/.auth/login/corp?session_mode=token&post_login_redirect_url=${encodeURIComponent('https://spa.example/cb')}`,
		),
	);
	assert.match(spa.header('location')!, /^https:\/\/spa\.example\/cb#token=%7B/);
});

test('row 70a: the older kit with plain base64 verifier and challenge is understood', async () => {
	const kitVerifier = `${'+/'.repeat(21)}A=`;
	const kitChallenge = createHash('sha256').update(kitVerifier).digest('base64');
	const target = `/.auth/login/corp?session_mode=token&post_login_redirect_url=${encodeURIComponent('vscode://acme.ext/signed-in')}&code_challenge=${encodeURIComponent(kitChallenge)}&code_challenge_method=S256`;
	const done = await h.finish(await h.navigate(target));
	const code = done.header('location')!.split('#authorization_code=')[1]!;
	assert.equal(
		(
			await h.get(
				`/.auth/login/corp/token?authorization_code=${code}&code_verifier=${encodeURIComponent(kitVerifier)}`,
			)
		).status,
		200,
	);
});

test('row 71: of ten redemptions at once exactly one wins', async () => {
	const code = await newCode();
	const answers = await Promise.all(Array.from({ length: 10 }, () => redeem(code)));
	assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
	assert.equal(answers.filter((answer) => answer.status === 401).length, 9);
});

test('row 72: a code redeemed at another provider is refused and burnt', async () => {
	await using own = await Harness.start({
		config: {
			identityProviders: {
				gitHub: { registration: { clientId: 'x', clientSecretSettingName: 'CORP_SECRET' } },
			},
		},
	});
	const done = await own.finish(
		await own.navigate(
			`/.auth/login/corp?session_mode=token&post_login_redirect_uri=${encodeURIComponent('vscode://acme.ext/signed-in')}&code_challenge=${challenge}&code_challenge_method=S256`,
		),
	);
	const code = done.header('location')!.split('#authorization_code=')[1]!;
	const at = (name: string) =>
		own.get(`/.auth/login/${name}/token?authorization_code=${code}&code_verifier=${verifier}`);
	assert.equal((await at('github')).status, 401);
	assert.equal((await at('corp')).status, 401);
});

test('row 73: the pages cannot be framed', async () => {
	for (const target of [
		handoffPath(),
		'/.auth/device',
		'/.auth/login/done',
		'/.auth/logout/done',
		'/.auth/login',
	]) {
		const page = await h.navigate(target, cookie);
		assert.equal(page.status, 200, target);
		assert.match(page.header('content-security-policy')!, /frame-ancestors 'none'/);
		assert.equal(page.header('x-frame-options'), 'DENY');
		assert.equal(page.header('cache-control'), 'no-store');
		assert.equal(page.header('referrer-policy'), 'no-referrer');
	}
});

test('row 74: opening the hand-off with a session mints nothing without a click', async () => {
	const before = h.audit.filter((line) => line.includes('code_issued')).length;
	const page = await h.navigate(handoffPath(), cookie);
	assert.equal(page.status, 200);
	assert.equal(page.header('location'), undefined);
	assert.equal(h.audit.filter((line) => line.includes('code_issued')).length, before);
	const login = await h.navigate(handoffPath());
	assert.equal(login.status, 302);
	assert.equal(
		login.header('location'),
		`/.auth/login/corp?post_login_redirect_uri=${encodeURIComponent(handoffPath())}`,
	);
	const done = await h.finish(await h.navigate(login.header('location')!));
	assert.equal(done.header('location'), handoffPath());
});

test('row 75: callbacks that are not exactly on the list are 403', async () => {
	const bad = [
		'',
		'vscode://user@acme.ext/signed-in',
		'vscode://acme.ext:8080/signed-in',
		'vscode://other.ext/signed-in',
		'vscode://acme.ext/signed-in/../x',
		'vscode://acme.ext/x/../signed-in',
		'vscode-insiders://acme.ext/signed-in',
		'vscode://acme.ext.evil/signed-in',
		'vscode://аcme.ext/signed-in',
		'https://acme.ext/signed-in',
		'http://127.0.0.1.evil/signed-in',
		'http://localhost:1/signed-in',
		'http://127.0.0.1:1/other',
		'https://127.0.0.1:1/signed-in',
		'vscode://acme.ext/signed-in#x',
		'vscode://acme.ext\\@evil/signed-in',
		'javascript://acme.ext/signed-in',
		'vscode://acme.ext/signed-in%2f',
		'VSCODE:acme.ext/signed-in',
	];
	for (const value of bad) {
		assert.equal((await h.navigate(handoffPath({ callback: value }), cookie)).status, 403, value);
		assert.equal(
			(
				await h.navigate(
					`/.auth/login/corp?post_login_redirect_uri=${encodeURIComponent(handoffPath({ callback: value }))}`,
				)
			).status,
			403,
			value,
		);
	}
	assert.equal(
		(await h.navigate(handoffPath({ callback: 'http://127.0.0.1:53123/signed-in?x=1' }), cookie))
			.status,
		200,
	);
});

test('row 75a: the click counts only on the page, in the browser that opened it', async () => {
	const state = pageState(await h.navigate(handoffPath(), cookie));
	const foreign = ['Sec-Fetch-Site: cross-site', 'User-Agent: Mozilla/5.0'];
	assert.equal((await confirm(state, foreign)).status, 403);
	assert.equal((await confirm(state, ['Origin: https://evil.example'])).status, 403);
	assert.equal((await confirm(state, ['User-Agent: curl/8'])).status, 403);
	assert.equal((await confirm(state, [], await h.signIn())).status, 403);
	assert.equal((await confirm(state, [], 'none=1')).status, 403);
	assert.equal((await confirm(`${state}x`)).status, 403);
	assert.equal((await confirm('')).status, 403);
	assert.equal((await confirm(state)).status, 303);
	const old = pageState(await h.navigate(handoffPath(), cookie));
	h.advance(601_000);
	assert.equal((await confirm(old)).status, 403);
});

test('row 75b: signing the editor out leaves the browser signed in, and the other way round', async () => {
	const own = await h.signIn();
	const code = async () => {
		const state = pageState(await h.navigate(handoffPath(), own));
		return new URL((await confirm(state, [], own)).header('location')!).searchParams.get('code')!;
	};
	const token = ((await redeem(await code())).json() as { authenticationToken: string })
		.authenticationToken;
	const second = ((await redeem(await code())).json() as { authenticationToken: string })
		.authenticationToken;
	assert.equal((await h.get('/.auth/logout', [`X-ZUMO-AUTH: ${token}`])).status, 204);
	assert.equal((await h.get('/x', [`X-ZUMO-AUTH: ${token}`])).status, 401);
	assert.equal((await h.get('/x', [`Cookie: ${own}`])).status, 200);
	assert.equal(h.app.last.values('x-ms-token-corp-access-token').length, 1);
	await h.navigate('/.auth/logout', own);
	assert.equal((await h.get('/x', [`Cookie: ${own}`])).status, 401);
	assert.equal((await h.get('/x', [`X-ZUMO-AUTH: ${second}`])).status, 200);
	// The refresh token is shared: it still works for the one that is left.
	assert.equal((await h.get('/.auth/refresh', [`X-ZUMO-AUTH: ${second}`])).status, 200);
});
