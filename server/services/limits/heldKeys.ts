/** Keys with which something is under way: whoever works for one hears at once that it holds no longer. */

import { setMaxListeners } from 'node:events';
import { AppError } from '../../protocol/index.ts';
import type { KeyStore, PersonKey } from './keyStore.ts';

/** How soon a key that another process took away, or that expired, ends what is under way. */
const usualEveryMs = 1000;

/** Work that is done with a key. */
export interface HeldKey {
	/** Aborted with `invalid_api_key` once the key holds no longer. */
	readonly signal: AbortSignal;
	/** The work has ended. */
	release(): void;
}

interface Held {
	readonly entry: PersonKey;
	readonly stop: AbortController;
	holders: number;
}

export class HeldKeys {
	readonly #keys: Pick<KeyStore, 'holds' | 'onChange'>;
	readonly #everyMs: number;
	/** By the hash: who rotates a key makes another one of it. */
	readonly #held = new Map<string, Held>();
	#timer: NodeJS.Timeout | undefined;

	/** @param everyMs milliseconds after which the changes of other processes are looked for, while there is work */
	constructor(keys: Pick<KeyStore, 'holds' | 'onChange'>, everyMs = usualEveryMs) {
		this.#keys = keys;
		this.#everyMs = everyMs;
		keys.onChange(() => this.#check());
	}

	/** Work begins for who showed this key. */
	hold(entry: PersonKey): HeldKey {
		const known = this.#held.get(entry.hash);
		const held = known ?? { entry, stop: new AbortController(), holders: 0 };
		if (known === undefined) {
			setMaxListeners(0, held.stop.signal);
			this.#held.set(entry.hash, held);
		}
		held.holders++;
		this.#timer ??= setInterval(() => this.#check(), this.#everyMs).unref();
		let isHeld = true;
		return {
			signal: held.stop.signal,
			release: () => {
				if (!isHeld) return;
				isHeld = false;
				if (--held.holders === 0 && this.#held.get(entry.hash) === held)
					this.#held.delete(entry.hash);
				this.#rest();
			},
		};
	}

	#check(): void {
		for (const [hash, { entry, stop }] of [...this.#held]) {
			try {
				if (this.#keys.holds(entry)) continue;
			} catch {
				// While nobody can say, what was let in goes on.
				return;
			}
			this.#held.delete(hash);
			stop.abort(
				new AppError(
					'invalid_api_key',
					'The key of this request was revoked or has expired, so the work for it has ended. Ask whoever gave it to you.',
				),
			);
		}
		this.#rest();
	}

	#rest(): void {
		if (this.#held.size > 0) return;
		clearInterval(this.#timer);
		this.#timer = undefined;
	}
}
