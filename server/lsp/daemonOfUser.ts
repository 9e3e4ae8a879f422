/** The daemon of this user as the language server sees it: found through `endpoint.json` or started. */

import { daemonFetch } from '../daemon/daemonFetch.ts';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { sender } from '../protocol/routeClient.ts';
import { type ConnectDaemon, unavailable } from './daemonLink.ts';

/** Finds or starts the daemon whose data directory the environment names. */
export function daemonOfUser(env: NodeJS.ProcessEnv): ConnectDaemon {
	return async (signal) => {
		const { endpoint } = await findOrStartDaemon({ env, reader: 'editor' }, signal);
		const { url, key, pid, version } = endpoint;
		const request = sender({
			fetch: (path, init) => daemonFetch(endpoint, new URL(path, url), init),
			key,
			unreachable: unavailable,
		});
		return { url, key, pid, version, request };
	};
}
