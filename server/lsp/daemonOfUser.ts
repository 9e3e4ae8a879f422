/** The daemon of this user as the front sees it: found through `endpoint.json` or started. */

import { findOrStartDaemon } from '../daemon/client.ts';
import { patientFetch } from '../daemon/patience.ts';
import { sender } from '../protocol/client.ts';
import { type ConnectDaemon, unavailable } from './daemonLink.ts';

/** Finds or starts the daemon whose data directory the environment names. */
export function daemonOfUser(env: NodeJS.ProcessEnv): ConnectDaemon {
	return async (signal) => {
		const { endpoint } = await findOrStartDaemon({ env, reader: 'editor' }, signal);
		const { url, key, pid, version } = endpoint;
		const request = sender({
			fetch: (path, init) => patientFetch(endpoint, new URL(path, url), init),
			key,
			unreachable: unavailable,
		});
		return { url, key, pid, version, request };
	};
}
