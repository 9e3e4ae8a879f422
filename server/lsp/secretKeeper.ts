/** The user's secrets in memory, handed to every daemon the front meets. */

import type { SecretName } from '../protocol/index.ts';
import { type ConnectDaemon, type Daemon, jsonInit } from './daemonLink.ts';
import { errorOfResponse } from './responseError.ts';

const names: readonly SecretName[] = [
	'hubToken',
	'translatorKey',
	'translatorRegion',
	'translatorEndpoint',
	'translatorClientSecret',
	'translatorSettings',
	'upstreamKey',
];

/** One per front. Values leave it only towards the daemon. */
export class SecretKeeper {
	#values: Partial<Record<SecretName, string>> | undefined;
	#daemon: Daemon | undefined;

	/** Wraps `connect` so that a daemon has the secrets before it is asked anything. */
	introduce(connect: ConnectDaemon): ConnectDaemon {
		return async (signal) => {
			const daemon = await connect(signal);
			this.#daemon = daemon;
			await this.#hand();
			return daemon;
		};
	}

	/** Replaces all secrets; those left out are forgotten. */
	async replace(values: Partial<Record<SecretName, string>>): Promise<void> {
		this.#values = values;
		await this.#hand();
	}

	async #hand(): Promise<void> {
		const values = this.#values;
		if (!this.#daemon || !values) return;
		const body = Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
		const response = await this.#daemon.fetch('/nearglot/secrets/set', jsonInit(body));
		if (!response.ok) throw await errorOfResponse(response);
	}
}
