/** What clients may know without a session: the providers, whether the layer works, and where to get tokens. */

import type { GatewayContext } from '../context.ts';
import { type GatewayRoute, sendJson } from './requestContext.ts';

/** `GET /.auth/providers`: for the picker of an editor. */
export const providersRoute: GatewayRoute = async (exchange) => {
	const { settings, providers } = exchange.context;
	sendJson(exchange, 200, {
		host: settings.publicUrl.origin,
		default:
			settings.access.redirectToProvider ??
			(providers.all.length === 1 ? providers.all[0]!.settings.name : null),
		providers: providers.all.map((provider) => ({
			name: provider.settings.name,
			label: provider.settings.label,
			loginUrl: `${settings.publicUrl.origin}${settings.apiPrefix}/login/${provider.settings.name}`,
			clientDirected: provider.clientFields,
			...(provider.settings.editorScopes === undefined
				? {}
				: { editorSession: { scopes: provider.settings.editorScopes } }),
		})),
		handoff: `${settings.publicUrl.origin}${settings.apiPrefix}/handoff`,
		device: `${settings.publicUrl.origin}${settings.apiPrefix}/device`,
	});
};

/** `GET /.auth/healthz`: 200 while the process serves, whatever its neighbours do; the body tells about the store. */
export const healthRoute: GatewayRoute = async (exchange) => {
	sendJson(exchange, 200, { status: 'ok', store: await exchange.context.storeProof.state() });
};

/**
 * `GET /.auth/readyz`: 200 while people can be signed in here, the app takes connections and the layer is not about to end, else 503. A keys
 * file that was refused takes no replica out, as the earlier keys go on working; the body and the audit log
 * tell of it.
 */
export const readyRoute: GatewayRoute = async (exchange) => {
	// Asked before the store, as the question itself is counted.
	const stays = exchange.context.ending.isReady();
	const { storeProof, upstreamProof } = exchange.context;
	const [store, upstream] = await Promise.all([storeProof.state(), upstreamProof.state()]);
	const keys = keysState(exchange.context);
	const works = store === 'ok' && upstream === 'ok' && keys !== 'none_valid';
	const status = !stays ? 'ending' : works ? 'ready' : 'not_ready';
	sendJson(exchange, status === 'ready' ? 200 : 503, { status, store, keys, upstream });
};

function keysState({ ring, keys }: GatewayContext): 'ok' | 'reload_refused' | 'none_valid' {
	if (!ring.usable) return 'none_valid';
	return keys.refused === undefined ? 'ok' : 'reload_refused';
}

/** Paths below the prefix that probes ask, by whatever host name. */
export const probePaths: readonly string[] = ['/healthz', '/readyz'];

/** `GET /.well-known/oauth-protected-resource` (RFC 9728). */
export const resourceRoute: GatewayRoute = async (exchange) => {
	const { settings, providers } = exchange.context;
	const issuers = providers.all
		.map((provider) => provider.settings.endpoints.issuer)
		.filter((issuer) => issuer !== undefined);
	sendJson(exchange, 200, {
		resource: `${settings.publicUrl.origin}/`,
		authorization_servers: issuers,
		scopes_supported: settings.resourceScopes ?? [],
		bearer_methods_supported: ['header'],
	});
};
