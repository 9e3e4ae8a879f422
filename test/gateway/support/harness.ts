/** A whole layer in the test: app behind it, provider beside it, clock and store under control. */

import { rmSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { GatewaySettings } from '../../../server/gateway/config/gatewaySettings.ts';
import { parseSettings } from '../../../server/gateway/config/parseSettings.ts';
import { resolvePaths } from '../../../server/gateway/config/resolvePaths.ts';
import { type Gateway, startGateway } from '../../../server/gateway/gateway.ts';
import { openParts } from '../../../server/gateway/openParts.ts';
import type { ProviderRegistry } from '../../../server/gateway/providers/registry.ts';
import type { Store } from '../../../server/gateway/store/store.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { TestApp } from './app.ts';
import { FakeProvider } from './fakeProvider.ts';
import { type RawAnswer, type RawCall, rawCall } from './rawHttp.ts';

/** Name of the session cookie on HTTPS; on plain HTTP it has no prefix. */
export const sessionCookieName = '__Host-AppServiceAuthSession';

export type Json = Record<string, unknown>;

export interface HarnessOptions {
	/** Merged into the settings file, section by section. */
	readonly config?: Json;
	readonly env?: NodeJS.ProcessEnv;
	readonly store?: Store;
	/** Folder with the keys; its own when absent. */
	readonly folder?: string;
	/** Lease of a refresh, shorter than settings can say. */
	readonly refreshLeaseMs?: number;
	readonly app?: TestApp;
	/** Address of another server to stand in front of than the app. */
	readonly upstream?: string;
	readonly provider?: FakeProvider;
	/** Port to listen on; a free one when absent. */
	readonly port?: number;
	/** Providers in place of those of the settings. */
	readonly providers?: (settings: GatewaySettings) => ProviderRegistry;
	/** Stands for the network between the layer and providers. */
	readonly fetch?: typeof fetch;
}

/** The settings of the attack table. */
export function baseConfig(provider: { readonly clientId: string; readonly issuer: string }): Json {
	return {
		globalValidation: {
			unauthenticatedClientAction: 'RedirectToLoginPage',
			redirectToProvider: 'corp',
			excludedPaths: ['/health', '/public/*'],
		},
		// HTTPS ends in front of the layer in these tests.
		httpSettings: { requireHttps: false },
		login: {
			allowedExternalRedirectUrls: [
				'vscode://acme.ext/signed-in',
				'http://127.0.0.1/signed-in',
				'https://spa.example/cb',
			],
		},
		identityProviders: {
			customOpenIdConnectProviders: {
				corp: {
					registration: {
						clientId: provider.clientId,
						clientCredential: { clientSecretSettingName: 'CORP_SECRET' },
						openIdConnectConfiguration: {
							wellKnownOpenIdConfiguration: `${provider.issuer}/.well-known/openid-configuration`,
						},
					},
				},
			},
		},
		'x-gateway': {
			publicUrl: 'https://app.example',
			trustedProxies: ['10.0.0.0/8'],
			store: { path: ':memory:' },
			failuresPerMinute: 1000,
		},
	};
}

export function merge(base: Json, extra: Json): Json {
	const out: Json = { ...base };
	for (const [key, value] of Object.entries(extra)) {
		const old = out[key];
		const both = [old, value].every(
			(item) => typeof item === 'object' && item !== null && !Array.isArray(item),
		);
		out[key] = both ? merge(old as Json, value as Json) : value;
	}
	return out;
}

export class Harness implements AsyncDisposable {
	readonly gateway: Gateway;
	readonly app: TestApp;
	readonly provider: FakeProvider;
	readonly folder: string;
	readonly audit: string[];
	readonly #clock: { offsetMs: number; setMs: number };
	readonly #owned: AsyncDisposable;

	private constructor(
		parts: Pick<Harness, 'gateway' | 'app' | 'provider' | 'folder' | 'audit'>,
		clock: { offsetMs: number; setMs: number },
		owned: AsyncDisposable,
	) {
		this.gateway = parts.gateway;
		this.app = parts.app;
		this.provider = parts.provider;
		this.folder = parts.folder;
		this.audit = parts.audit;
		this.#clock = clock;
		this.#owned = owned;
	}

	static async start(options: HarnessOptions = {}): Promise<Harness> {
		// What a start that fails has opened is closed again: a test that expects the failure ends.
		await using owned = new AsyncDisposableStack();
		const app = options.app ?? new TestApp();
		if (!options.app) {
			await app.listen();
			owned.use(app);
		}
		const provider = options.provider ?? new FakeProvider();
		if (!options.provider) {
			await provider.listen();
			owned.use(provider);
		}
		const folder = options.folder ?? temporaryFolder('gateway');
		if (options.folder === undefined)
			owned.defer(() => rmSync(folder, { recursive: true, force: true }));
		const file = merge(baseConfig(provider), options.config ?? {});
		const env = { CORP_SECRET: provider.clientSecret, ...options.env };
		const parsed = resolvePaths(parseSettings(file, env, 8000).settings, folder);
		const { refreshLeaseMs = parsed.limits.refreshLeaseMs } = options;
		const settings = { ...parsed, limits: { ...parsed.limits, refreshLeaseMs } };
		const clock = { offsetMs: 0, setMs: 0 };
		const now = () => Date.now() + clock.offsetMs + clock.setMs;
		const audit: string[] = [];
		const log = new Writable({
			write(chunk: Buffer, _encoding, done) {
				audit.push(...chunk.toString().trim().split('\n'));
				done();
			},
		});
		const { store } = options;
		const parts = await openParts(settings, { now, log, ...(store ? { store } : {}) });
		const gateway = await startGateway(
			settings,
			options.upstream ?? app.url,
			{ host: '127.0.0.1', port: options.port ?? 0 },
			{
				...{ parts, fetch: options.fetch ?? fetch, now },
				elapsed: () => performance.now() + clock.offsetMs,
				...(options.providers === undefined ? {} : { providers: options.providers }),
			},
		);
		return new Harness({ gateway, app, provider, folder, audit }, clock, owned.move());
	}

	/** Sets the date by so much; no time passes. */
	setDate(ms: number): void {
		this.#clock.setMs += ms;
	}

	/** Lets time pass. */
	advance(ms: number): void {
		this.#clock.offsetMs += ms;
	}

	get(target: string, headers: readonly string[] = []): Promise<RawAnswer> {
		return this.call({ target, headers });
	}

	call(call: RawCall): Promise<RawAnswer> {
		return rawCall(this.gateway.port, call);
	}

	/** Opens a page as a browser navigates. */
	navigate(target: string, cookie = '', extra: readonly string[] = []): Promise<RawAnswer> {
		return this.get(target, [
			...browserHeaders,
			...(cookie === '' ? [] : [`Cookie: ${cookie}`]),
			...extra,
		]);
	}

	/** The whole browser login; returns the cookie pair of the session. */
	async signIn(returnTo = '/app'): Promise<string> {
		const begun = await this.navigate(
			`/.auth/login/corp?post_login_redirect_uri=${encodeURIComponent(returnTo)}`,
		);
		const done = await this.finish(begun);
		const cookie = sessionOf(done);
		if (done.status !== 302 || cookie === undefined)
			throw new Error(`login failed: ${done.status} ${done.body}`);
		return cookie;
	}

	/** Plays provider and browser from the redirect of the login start to the answer of the callback. */
	finish(begun: RawAnswer, extraCookies = ''): Promise<RawAnswer> {
		const back = this.provider.authorize(begun.header('location') ?? '');
		const cookies = [...begun.setCookies().map(pair), extraCookies].filter((text) => text !== '');
		return this.navigate(back.pathname + back.search, cookies.join('; '));
	}

	/** Client-directed sign-in; returns the session token. */
	async token(): Promise<string> {
		const answer = await this.clientLogin({
			id_token: await this.provider.sign(this.provider.claims),
		});
		if (answer.status !== 200)
			throw new Error(`client login failed: ${answer.status} ${answer.body}`);
		return (answer.json() as { authenticationToken: string }).authenticationToken;
	}

	clientLogin(body: Json, name = 'corp', headers: readonly string[] = []): Promise<RawAnswer> {
		return this.call({
			method: 'POST',
			target: `/.auth/login/${name}`,
			headers: ['Content-Type: application/json', ...headers],
			body: JSON.stringify(body),
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.gateway.close(0);
		await this.#owned[Symbol.asyncDispose]();
	}
}

export const browserHeaders = [
	'Accept: text/html,application/xhtml+xml',
	'User-Agent: Mozilla/5.0 (X11; Linux x86_64)',
	'Sec-Fetch-Site: same-origin',
	'Sec-Fetch-Mode: navigate',
	'Sec-Fetch-Dest: document',
];

/** `name=value` of a `Set-Cookie` line. */
export function pair(line: string): string {
	return line.split(';', 1)[0]!;
}

/** Pair of the session cookie, on HTTPS or not, when the answer sets it to something. */
export function sessionOf(answer: RawAnswer): string | undefined {
	return cookieOf(answer, sessionCookieName) ?? cookieOf(answer, 'AppServiceAuthSession');
}

/** Pair of a cookie of this name when the answer sets it to something. */
export function cookieOf(answer: RawAnswer, name: string): string | undefined {
	return answer
		.setCookies()
		.map(pair)
		.find((text) => text.split('=', 1)[0] === name && text.length > name.length + 1);
}
