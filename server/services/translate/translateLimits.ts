/** Character limits of keys: sliding windows of a minute and an hour, in sixty slots each. */

/** One sliding window. */
class Window {
	#slots = new Float64Array(60);
	#slotMs: number;
	#last = 0;

	constructor(lengthMs: number) {
		this.#slotMs = lengthMs / 60;
	}

	#advance(nowMs: number): void {
		const slot = Math.floor(nowMs / this.#slotMs);
		const steps = Math.min(60, Math.max(0, slot - this.#last));
		for (let step = 1; step <= steps; step++) this.#slots[(this.#last + step) % 60] = 0;
		if (slot > this.#last) this.#last = slot;
	}

	used(nowMs: number): number {
		this.#advance(nowMs);
		return this.#slots.reduce((sum, value) => sum + value, 0);
	}

	add(nowMs: number, amount: number): void {
		this.#advance(nowMs);
		this.#slots[this.#last % 60] = (this.#slots[this.#last % 60] ?? 0) + amount;
	}

	/** Seconds until `amount` fits under `limit`; Infinity when it never does. */
	waitS(nowMs: number, amount: number, limit: number): number {
		this.#advance(nowMs);
		if (amount > limit) return Number.POSITIVE_INFINITY;
		let used = this.used(nowMs);
		if (used + amount <= limit) return 0;
		for (let age = 59; age >= 0; age--) {
			used -= this.#slots[(this.#last - age + 60) % 60] ?? 0;
			if (used + amount <= limit) return Math.ceil(((60 - age) * this.#slotMs) / 1000);
		}
		return Math.ceil((60 * this.#slotMs) / 1000);
	}
}

export interface CharacterLimits {
	readonly charactersPerMinute?: number;
	readonly charactersPerHour?: number;
	readonly quota?: number;
}

export type LimitVerdict =
	| { readonly kind: 'ok' }
	/** Over the rate; `retryAfterS` is absent when the request alone is too large for the key. */
	| { readonly kind: 'rate'; readonly retryAfterS?: number; readonly limit: string }
	| { readonly kind: 'quota' };

/** Counts characters per key. Clock is a parameter. */
export class CharacterMeter {
	#callers = new Map<string, { minute: Window; hour: Window; total: number | undefined }>();
	#now: () => number;
	#before: (id: string) => number | undefined;
	#onUsed: (id: string, total: number) => void;

	/**
	 * @param now Milliseconds of a clock that only goes forward.
	 * @param before Characters a caller has used earlier; they count for quotas. Throws while nobody knows.
	 * @param onUsed Told the new total of a caller that has a quota.
	 */
	constructor(
		now: () => number,
		before: (id: string) => number | undefined = () => undefined,
		onUsed: (id: string, total: number) => void = () => {},
	) {
		this.#now = now;
		this.#before = before;
		this.#onUsed = onUsed;
	}

	/**
	 * Takes characters from a caller's share, or says why not. Nothing is taken when refused.
	 * @throws AppError `store_unavailable` when there is a quota and nobody knows what is left of it
	 */
	take(id: string, amount: number, limits: CharacterLimits): LimitVerdict {
		const now = this.#now();
		const caller = this.#callers.get(id) ?? {
			minute: new Window(60_000),
			hour: new Window(3_600_000),
			total: undefined,
		};
		this.#callers.set(id, caller);
		if (limits.quota !== undefined) {
			caller.total ??= this.#before(id) ?? 0;
			if (caller.total + amount > limits.quota) return { kind: 'quota' };
		}
		const { charactersPerMinute, charactersPerHour } = limits;
		// "Consumed evenly": an hour's share is not to be used up in one minute.
		const minuteLimit =
			charactersPerMinute ?? (charactersPerHour === undefined ? undefined : charactersPerHour / 60);
		const waits: [number, string][] = [];
		if (minuteLimit !== undefined)
			waits.push([
				caller.minute.waitS(now, amount, minuteLimit),
				`${Math.floor(minuteLimit)} characters a minute`,
			]);
		if (charactersPerHour !== undefined)
			waits.push([
				caller.hour.waitS(now, amount, charactersPerHour),
				`${charactersPerHour} characters an hour`,
			]);
		const [wait, limit] = waits.sort((a, b) => b[0] - a[0])[0] ?? [0, ''];
		if (wait > 0)
			return Number.isFinite(wait)
				? { kind: 'rate', retryAfterS: wait, limit }
				: { kind: 'rate', limit };
		caller.minute.add(now, amount);
		caller.hour.add(now, amount);
		if (caller.total !== undefined) {
			caller.total += amount;
			this.#onUsed(id, caller.total);
		}
		return { kind: 'ok' };
	}
}
