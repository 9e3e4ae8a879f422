/** Files of undici without declarations, by those of its entry. */

declare module 'undici/lib/api/index.js' {
	const api: object;
	export = api;
}

declare module 'undici/lib/core/connect.js' {
	import { buildConnector } from 'undici';
	export = buildConnector;
}

declare module 'undici/lib/dispatcher/dispatcher.js' {
	import { Dispatcher } from 'undici';
	export = Dispatcher;
}

declare module 'undici/lib/dispatcher/env-http-proxy-agent.js' {
	import { EnvHttpProxyAgent } from 'undici';
	export = EnvHttpProxyAgent;
}
