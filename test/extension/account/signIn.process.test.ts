/** Each way to sign in from its first click to a session, against a real sign-in layer. */

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Callbacks } from '../../../extension/account/callbacks.ts';
import { PendingSignIns } from '../../../extension/account/pending.ts';
import { SessionStore } from '../../../extension/account/sessionStore.ts';
import { TeamApi } from '../../../extension/account/teamApi.ts';
import type { Harness } from '../../gateway/support/harness.ts';
import { desk, resetDesk } from '../vscodeDouble.ts';
import { PersonsBrowser, startLayer } from './layer.ts';

const { signIn } = await import('../../../extension/account/signIn.ts');

const tenant = '0f0e0d0c-0b0a-0908-0706-050403020100';
let layer: Harness;
let api: TeamApi;
let browser: PersonsBrowser;
/** What a window keeps, and the list of ways that was shown. */
let shown: string[][] = [];

before(async () => {
	const { layer: started, origin } = await startLayer();
	layer = started;
	api = new TeamApi(origin);
	browser = new PersonsBrowser(layer, origin);
});
after(() => layer[Symbol.asyncDispose]());
beforeEach(() => {
	resetDesk();
	shown = [];
});

function window(of: TeamApi = api) {
	const values = new Map<string, string>();
	const memory = new Map<string, unknown>();
	const secrets = {
		get: async (key: string) => values.get(key),
		store: async (key: string, value: string) => void values.set(key, value),
		onDidChange: () => ({ dispose: () => {} }),
	};
	const pending = new PendingSignIns(secrets);
	const callbacks = new Callbacks(
		secrets,
		pending,
		async () => assert.fail('this window waits itself'),
		(error) => assert.fail(String(error)),
	);
	const context = {
		extension: { id: 'acme.ext' },
		globalState: {
			get: (key: string) => memory.get(key),
			update: async (key: string, value: unknown) => void memory.set(key, value),
		},
	};
	const deps = { context, callbacks, pending, store: new SessionStore(secrets) };
	return {
		callbacks,
		values,
		run: () => signIn(of, deps as unknown as Parameters<typeof signIn>[1]),
	};
}

/** Presses *Continue* on the page that hands a session over; returns where the browser goes. */
async function handOff(address: string): Promise<URL> {
	const target = address.slice(api.origin.length);
	const { page, answer } = await browser.press(
		target,
		'/.auth/handoff',
		await browser.signIn(),
		{},
	);
	const phrase = desk.progress.at(-1)?.match(/\w\w-\w\w/)?.[0] ?? 'none';
	assert.ok(page.body.includes(phrase), 'the page shows the phrase of the editor');
	return new URL(answer.headers.get('location') ?? '');
}

/** Takes a way when asked how to go on. */
function choose(...names: string[]): void {
	desk.quickPick = async (items) => {
		const ways = items as { readonly name: string }[];
		shown.push(ways.map(({ name }) => name));
		return ways.find(({ name }) => name === names[0]) && { name: names.shift() };
	};
}

const isSession = async (token: string) => (await api.name(token)) !== undefined;

test('in the browser: the page returns to the window through its address, bound to its proof key', async () => {
	const { callbacks, values, run } = window();
	let opened = '';
	desk.open = async (address) => {
		opened = address;
		const back = await handOff(address);
		assert.equal(`${back.protocol}//${back.host}${back.pathname}`, 'vscode://acme.ext/signed-in');
		await callbacks.handleUri({ path: back.pathname, query: back.search.slice(1) });
		return true;
	};
	const { token } = await run();
	assert.ok(await isSession(token));
	assert.match(new URL(opened).searchParams.get('code_challenge') ?? '', /^[\w-]{43}$/);
	assert.deepEqual([...values.values()], ['[]'], 'no proof key is left behind');
	assert.deepEqual(shown, []);
});

test('through a port of this computer: offered on a local desktop only', async () => {
	choose('loopback');
	desk.open = async (address) => {
		if (new URL(address).searchParams.get('callback')?.startsWith('vscode:')) return false;
		const back = await handOff(address);
		assert.equal(back.hostname, '127.0.0.1');
		assert.equal((await fetch(back)).status, 200);
		return true;
	};
	assert.ok(await isSession((await window().run()).token));
	assert.deepEqual(shown, [['loopback', 'device', 'paste', 'browser']]);
	for (const place of [{ remoteName: 'ssh-remote' }, { isDesktop: false }]) {
		resetDesk();
		Object.assign(desk, place);
		shown = [];
		choose();
		desk.open = async () => false;
		await assert.rejects(window().run(), { code: 'cancelled' });
		assert.deepEqual(shown, [['device', 'paste', 'browser']]);
	}
});

test('with a code that is typed in any browser, which is copied and approved there', async () => {
	choose('device');
	desk.message = async (_text, _options, open) => open as string;
	desk.open = async (address) => {
		const { pathname, search } = new URL(address);
		if (pathname !== '/.auth/device') return false;
		const cookie = await browser.signIn();
		await browser.press(pathname + search, '/.auth/device/approve', cookie, { answer: 'yes' });
		return true;
	};
	assert.ok(await isSession((await window().run()).token));
	assert.match(desk.clipboard, /^[A-Z]{4}-[A-Z]{4}$/);
});

test('with a code that the page shows and a person pastes', async () => {
	choose('paste');
	let code = '';
	desk.open = async (address) => {
		if (shown.length === 0) return false;
		const { answer } = await browser.press(
			address.slice(api.origin.length),
			'/.auth/handoff',
			await browser.signIn(),
			{ show: 'code' },
		);
		code = /<code>([^<]+\.[^<]+)<\/code>/.exec(await answer.text())?.[1] ?? '';
		return true;
	};
	desk.input = async (options) => {
		const { validateInput, password } = options as {
			validateInput: (text: string) => string | undefined;
			password: boolean;
		};
		assert.equal(password, true);
		assert.equal(typeof validateInput('no code'), 'string');
		assert.equal(validateInput(` ${code} `), undefined);
		return ` ${code} `;
	};
	assert.ok(await isSession((await window().run()).token));
});

test('with the Microsoft account of the editor, where the team takes it: first, and asked for before', async () => {
	const { provider } = layer;
	const { layer: started, origin } = await startLayer(
		{
			identityProviders: {
				azureActiveDirectory: {
					registration: {
						clientId: provider.clientId,
						clientSecretSettingName: 'CORP_SECRET',
						openIdIssuer: `https://login.example/${tenant}/v2.0`,
					},
					'x-endpoints': {
						issuer: provider.issuer,
						discovery: `${provider.issuer}/.well-known/openid-configuration`,
					},
					'x-editorSession': { scopes: ['api://team/access'] },
				},
			},
		},
		{ provider },
	);
	await using _own = started;
	const team = new TeamApi(origin);
	desk.message = async (text, _options, use) => {
		assert.match(String(text), /with your Microsoft account/);
		return use as string;
	};
	let scopes: readonly string[] = [];
	desk.microsoft = async (asked) => {
		scopes = asked;
		return provider.sign({
			sub: 's',
			oid: 'o',
			name: 'Eve',
			preferred_username: 'eve@corp.example',
		});
	};
	desk.open = async () => assert.fail('no page is needed');
	const { token } = await window(team).run();
	assert.equal(await team.name(token), 'eve@corp.example');
	assert.deepEqual(scopes, ['microsoft', 'api://team/access', `VSCODE_TENANT:${tenant}`]);
});

test('a person who gives up while the page is open is asked how to go on, and keeps no proof key', async () => {
	choose();
	const { values, run } = window();
	desk.open = async () => {
		setImmediate(() => desk.cancel());
		return true;
	};
	await assert.rejects(run(), { code: 'cancelled' });
	assert.deepEqual(shown, [['loopback', 'device', 'paste', 'browser']]);
	assert.deepEqual([...values.values()], ['[]']);
});
