/** The user's secrets in memory, handed to every daemon the language server meets. */

import { type SecretName, secretNames } from '../protocol/index.ts';
import { setSecrets } from '../protocol/routeAddresses.ts';
import { Client } from '../protocol/routeClient.ts';
import type { ConnectDaemon, Daemon } from './daemonLink.ts';

/** One per language server. Values leave it only towards the daemon. */
export class SecretSync {
	readonly #timeoutMs: number;
	#values: Partial<Record<SecretName, string>> | undefined;
	#storage = '';
	#daemon: Daemon | undefined;
	#last: Promise<unknown> = Promise.resolve();
	#awaited: Promise<void> | undefined;
	#arrived = () => {};

	/** @param timeoutMs Longest wait for secrets the editor has announced. */
	constructor(timeoutMs = 5000) {
		this.#timeoutMs = timeoutMs;
	}

	/** The editor will hand secrets over: nothing is asked of a daemon before, but for so long. */
	expect(): void {
		this.#awaited = new Promise((resolve) => {
			const timer = setTimeout(resolve, this.#timeoutMs);
			this.#arrived = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	}

	/** Wraps `connect` so that a daemon has the secrets before it is asked anything. */
	introduce(connect: ConnectDaemon): ConnectDaemon {
		return async (signal) => {
			const daemon = await connect(signal);
			this.#daemon = daemon;
			await this.#awaited;
			await this.#hand();
			return daemon;
		};
	}

	/** Replaces all secrets of the editor's storage; those left out are forgotten. */
	async replace(values: Partial<Record<SecretName, string>>, storage = ''): Promise<void> {
		this.#values = values;
		this.#storage = storage;
		this.#arrived();
		await this.#hand();
	}

	/** One after the other: what was said last must arrive last. */
	#hand(): Promise<void> {
		const hand = async () => {
			const values = this.#values;
			if (!this.#daemon || !values) return;
			const body = Object.fromEntries(secretNames.map((name) => [name, values[name] ?? null]));
			const query = { source: `editor:${this.#storage}` };
			await new Client(this.#daemon.request).call(setSecrets, { query, body });
		};
		const done = this.#last.then(hand, hand);
		this.#last = done.catch(() => undefined);
		return done;
	}
}
