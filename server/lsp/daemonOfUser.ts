/** The daemon of this user as the front sees it: found through `endpoint.json` or started. */

import { findOrStartDaemon } from '../daemon/client.ts';
import { patientFetch } from '../daemon/patience.ts';
import type { ConnectDaemon } from './daemonLink.ts';

/** Finds or starts the daemon whose data directory the environment names. */
export function daemonOfUser(env: NodeJS.ProcessEnv): ConnectDaemon {
	return async (signal) => {
		const { endpoint } = await findOrStartDaemon({ env, reader: 'editor' }, signal);
		const { url, key, pid, version } = endpoint;
		return {
			url,
			key,
			pid,
			version,
			fetch: (path, init = {}) => {
				const headers = new Headers(init.headers);
				headers.set('authorization', `Bearer ${key}`);
				return patientFetch(endpoint, new URL(path, url), { ...init, headers });
			},
		};
	};
}
