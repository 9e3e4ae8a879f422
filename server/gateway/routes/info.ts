/** What clients may know without a session: the providers, whether the layer works, and where to get tokens. */

import { type Route, sendJson } from './exchange.ts';

/** `GET /.auth/providers`: for the picker of an editor. */
export const providersRoute: Route = async (exchange) => {
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
export const healthRoute: Route = async (exchange) => {
	const store = await exchange.context.store.ping().then(
		() => 'ok',
		() => 'unreachable',
	);
	sendJson(exchange, 200, { status: 'ok', store });
};

/** `GET /.well-known/oauth-protected-resource` (RFC 9728). */
export const resourceRoute: Route = async (exchange) => {
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
