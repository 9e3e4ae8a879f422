/**
 * Providers for developers: instead of a login page elsewhere there is a form on which anybody says who they
 * are. Only `nearglot gateway --emulate` makes them, and it listens on this computer alone.
 */

import type { GatewaySettings, ProviderSettings } from '../config/settings.ts';
import { policyFacts, toClaims } from '../identity/claims.ts';
import type { Claim, SignedIn } from '../identity/signedIn.ts';
import { type FinishRequest, type Provider, ProviderError } from '../providers/provider.ts';
import type { ProviderRegistry } from '../providers/registry.ts';
import { noBearer, noRefresh, noSignOut } from '../providers/unsupported.ts';

const maxClaims = 200;

export class EmulatedProvider implements Provider {
	readonly settings: ProviderSettings;
	/** The form is posted, so that what it says stands in no address. */
	readonly formPost = true;
	readonly clientFields: readonly string[] = [];
	readonly refresh = noRefresh;
	readonly signOut = noSignOut;
	readonly bearer = noBearer;
	readonly #page: string;

	constructor(settings: ProviderSettings, page: string) {
		this.settings = settings;
		this.#page = page;
	}

	async begin({ state }: { readonly state: string }): Promise<{ url: URL }> {
		const url = new URL(this.#page);
		url.searchParams.set('provider', this.settings.name);
		url.searchParams.set('state', state);
		return { url };
	}

	async finish({ callback }: FinishRequest): Promise<SignedIn> {
		const field = (name: string) => (callback.searchParams.get(name) ?? '').trim();
		const name = field('userDetails');
		const id = field('userId') || name;
		if (id === '') throw new ProviderError('denied', 'Give a user id or a name.');
		const roles = field('userRoles')
			.split(/[\s,]+/)
			.filter((role) => role !== '');
		const groups = readClaims(field('claims')).filter(({ typ }) => typ === 'groups');
		const shownName = name || id;
		const values = {
			sub: id,
			...(shownName.includes('@') ? { email: shownName } : { name: shownName }),
			...(this.settings.kind === 'aad' ? { oid: id } : {}),
			roles,
		};
		return {
			provider: this.settings.name,
			issuer: `emulated:${this.settings.name}`,
			subject: id,
			name: shownName,
			principalId: id,
			claims: [...toClaims(values), ...readClaims(field('claims'))],
			tokens: {},
			policy: policyFacts({ ...values, groups: groups.map(({ val }) => val) }, true),
		};
	}

	clientLogin(): Promise<never> {
		return Promise.reject(
			new ProviderError('unsupported', 'Emulated providers have no tokens of their own.'),
		);
	}
}

/** `[{"typ","val"}, …]`, or an object of types and values. */
function readClaims(text: string): Claim[] {
	if (text === '') return [];
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw new ProviderError('denied', 'The claims are not JSON.');
	}
	const rows = Array.isArray(value)
		? value
		: Object.entries(Object(value)).map(([typ, val]) => ({ typ, val: String(val) }));
	const claims = rows.flatMap((row: unknown) => {
		const { typ, val } = Object(row) as { typ?: unknown; val?: unknown };
		return typeof typ === 'string' && typeof val === 'string' ? [{ typ, val }] : [];
	});
	if (claims.length !== rows.length || claims.length > maxClaims)
		throw new ProviderError(
			'denied',
			`The claims must be a list of at most ${maxClaims} entries {"typ", "val"}, both texts.`,
		);
	return claims;
}

/** Every provider of the settings, emulated. */
export function emulatedProviders(settings: GatewaySettings): ProviderRegistry {
	const page = `${settings.publicUrl.origin}${settings.apiPrefix}/emulate`;
	const all = settings.providers.map((row) => new EmulatedProvider(row, page));
	const byName = new Map(all.map((provider) => [provider.settings.name, provider]));
	return { all, find: (name) => byName.get(name.toLowerCase()) };
}
