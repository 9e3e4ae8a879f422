/**
 * What is under way for members, by person: whoever works for one hears at once that they may have nothing more,
 * because their key holds no longer or because they were removed.
 */

import { setMaxListeners } from 'node:events';
import { AppError } from '../../protocol/index.ts';
import type { KeyStore, PersonKey } from './keyStore.ts';

/** How soon a key that another process took away, or that expired, ends what is under way. */
const usualEveryMs = 1000;
/** How long is waited for work that was ended. */
const endMs = 5000;

/** Work that is done for a person. */
export interface HeldWork {
	/** Aborted with `invalid_api_key` once the key holds no longer, with `forbidden` for a person who was removed. */
	readonly signal: AbortSignal;
	/** The work has ended. */
	release(): void;
}

interface Held {
	readonly person: string;
	/** The key that was shown, if any. */
	readonly entry: PersonKey | undefined;
	/** No secret was shown: another one of the same key changes nothing. */
	readonly isById: boolean;
	readonly stop: AbortController;
	readonly over: PromiseWithResolvers<void>;
	holders: number;
}

type Keys = Pick<KeyStore, 'holds' | 'byId' | 'onChange'>;

export class LiveWork {
	readonly #keys: Keys;
	readonly #everyMs: number;
	/** By person, and the hash of the key: who rotates a key makes another one of it. */
	readonly #held = new Map<string, Held>();
	#timer: NodeJS.Timeout | undefined;

	/** @param everyMs milliseconds after which the changes of other processes are looked for, while there is work */
	constructor(keys: Keys, everyMs = usualEveryMs) {
		this.#keys = keys;
		this.#everyMs = everyMs;
		keys.onChange(() => this.#check());
	}

	/**
	 * Work begins for a person.
	 * @param entry the key that was shown
	 * @param isById it was not shown now, as of items of batches: who gives it another secret ends nothing
	 */
	hold(person: string, entry?: PersonKey, isById = false): HeldWork {
		const name = `${person} ${(isById ? entry?.id : entry?.hash) ?? ''}`;
		const known = this.#held.get(name);
		const held = known ?? {
			...{ person, entry, isById, stop: new AbortController(), holders: 0 },
			over: Promise.withResolvers<void>(),
		};
		if (known === undefined) {
			setMaxListeners(0, held.stop.signal);
			this.#held.set(name, held);
		}
		held.holders++;
		if (entry !== undefined)
			this.#timer ??= setInterval(() => this.#check(), this.#everyMs).unref();
		let isHeld = true;
		return {
			signal: held.stop.signal,
			release: () => {
				if (!isHeld) return;
				isHeld = false;
				if (--held.holders === 0) {
					held.over.resolve();
					if (this.#held.get(name) === held) this.#held.delete(name);
				}
				this.#rest();
			},
		};
	}

	/** Ends all that is under way for a person, and waits a while for it to be over. */
	async end(person: string): Promise<void> {
		const own = [...this.#held].filter(([, held]) => held.person === person);
		for (const [name, { stop }] of own) {
			this.#held.delete(name);
			stop.abort(
				new AppError(
					'forbidden',
					'Whoever runs the model server has removed this person, so the work for this request has ended.',
				),
			);
		}
		this.#rest();
		const { promise: late, resolve } = Promise.withResolvers<void>();
		const timer = setTimeout(resolve, endMs);
		await Promise.race([late, Promise.all(own.map(([, { over }]) => over.promise))]);
		clearTimeout(timer);
	}

	#check(): void {
		for (const [name, { entry, isById, stop }] of [...this.#held]) {
			try {
				if (entry === undefined) continue;
				if (isById ? this.#keys.byId(entry.id) : this.#keys.holds(entry)) continue;
			} catch {
				// While nobody can say, what was let in goes on.
				return;
			}
			this.#held.delete(name);
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
		if ([...this.#held.values()].some(({ entry }) => entry !== undefined)) return;
		clearInterval(this.#timer);
		this.#timer = undefined;
	}
}
