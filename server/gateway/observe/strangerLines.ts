/** Limits the lines of the audit log per address and minute, so that strangers cannot fill it; the rest is counted. */

import { defined } from '../../protocol/defined.ts';
import { RateLimit } from '../access/rateLimit.ts';
import type { AuditEvent } from './auditEvent.ts';

/** Lines about one address that a minute takes. A caller who is signed in is known, and not limited. */
const perMinute = 60;
const windowMs = 60_000;
/** However many addresses call: no more lines than this a minute. */
const allPerMinute = 3000;

export class StrangerLines {
	readonly #elapsed: () => number;
	readonly #lines: RateLimit;
	readonly #all: RateLimit;
	readonly #leftOut = new Set<string>();
	#count = 0;
	#since = 0;

	/** @param elapsed milliseconds of a clock that is never set */
	constructor(elapsed: () => number) {
		this.#elapsed = elapsed;
		this.#lines = new RateLimit(perMinute, elapsed);
		this.#all = new RateLimit(allPerMinute, elapsed);
	}

	/** Whether an event may be written; one that may not is counted. */
	admit({ clientIp, userId }: AuditEvent): boolean {
		if (clientIp === undefined || userId !== undefined) return true;
		if (this.#lines.waitS(clientIp) === 0 && this.#all.waitS('') === 0) {
			this.#lines.add(clientIp);
			this.#all.add('');
			return true;
		}
		if (this.#count === 0) this.#since = this.#elapsed();
		this.#count++;
		if (this.#leftOut.size < allPerMinute) this.#leftOut.add(clientIp);
		return false;
	}

	/** What was left out, once a minute has passed since the first of it, or at the end. */
	summary(atEnd = false): AuditEvent | undefined {
		const passed = this.#elapsed() - this.#since >= windowMs;
		if (this.#count === 0 || !(atEnd || passed)) return undefined;
		const [clientIp] = this.#leftOut.size === 1 ? this.#leftOut : [];
		const event: AuditEvent = {
			event: 'lines_left_out',
			count: this.#count,
			addresses: this.#leftOut.size,
			...defined({ clientIp }),
		};
		this.#count = 0;
		this.#leftOut.clear();
		return event;
	}
}
