/**
 * The composition root of the daemon: everything that lives as long as it does is made here.
 *
 * To add a service: 1. write it in server/services with all its needs as parameters; 2. add a
 * readonly field to Backend; 3. construct it in createBackend from `host`, `log`, `metrics`.
 * To add a route: write registerXRoutes(app, backend) in server/http/xRoutes.ts and add it to
 * `families` in server/http/app.ts; throw AppError, read bodies with readJson, pass
 * `context.get('signal')` on.
 * To add a command: write server/cli/x.ts exporting xCommand and add it to server/main.ts; get a
 * daemon with findOrStartDaemon() of server/daemon/client.ts.
 */

import type { ModelHost } from '../services/host.ts';
import type { Logger } from '../services/log.ts';
import { type Activity, createActivity } from './activity.ts';

export interface BackendSettings {
	/** Folder of downloaded and own models. */
	readonly modelsDir: string;
	/** Folder of the models that come with the product; `undefined` when there are none. */
	readonly builtInDir: string | undefined;
	/** Folder of the user's data: endpoint file, key store, caches. */
	readonly dataDir: string;
	/** Named pipe or Unix socket. */
	readonly pipePath: string;
	readonly version: string;
	/** Started by a person, so it does not end by itself. */
	readonly onPurpose: boolean;
	/** Environment the daemon was started with. */
	readonly env: NodeJS.ProcessEnv;
}

export interface Backend {
	readonly settings: BackendSettings;
	readonly host: ModelHost;
	readonly log: Logger;
	readonly activity: Activity;
	/** Ends the daemon in good order. */
	stop(reason: string): void;
	close(): Promise<void>;
}

export interface BackendDeps {
	readonly host: ModelHost;
	readonly log: Logger;
	stop(reason: string): void;
}

export function createBackend(settings: BackendSettings, deps: BackendDeps): Backend {
	return {
		settings,
		host: deps.host,
		log: deps.log,
		activity: createActivity(),
		stop: deps.stop,
		close: async () => {},
	};
}
