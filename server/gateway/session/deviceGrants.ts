/** Pending sign-ins of devices without a browser (RFC 8628). */

import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Store } from '../store/store.ts';

export interface DeviceGrant {
	readonly userCode: string;
	readonly status: 'pending' | 'approved' | 'denied';
	/** Session made for the device. */
	readonly sid?: string;
	/** Unix ms. */
	readonly expiresAt: number;
}

export type PollResult =
	| {
			readonly kind: 'error';
			readonly error: 'authorization_pending' | 'slow_down' | 'expired_token' | 'access_denied';
	  }
	| { readonly kind: 'approved'; readonly sid: string };

export const deviceLifeS = 600;
export const pollIntervalS = 5;
/** Letters without vowels and look-alikes (RFC 8628, 6.1). */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ';

export class DeviceGrants {
	readonly #store: Store;
	readonly #now: () => number;

	constructor(store: Store, now: () => number) {
		this.#store = store;
		this.#now = now;
	}

	async begin(): Promise<{ deviceCode: string; userCode: string }> {
		const deviceCode = randomBytes(32).toString('base64url');
		const letters = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('');
		const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
		const expiresAt = this.#now() + deviceLifeS * 1000;
		await this.#write(hash(deviceCode), { userCode, status: 'pending', expiresAt });
		await this.#store.set(`u:${letters}`, hash(deviceCode), deviceLifeS * 1000);
		return { deviceCode, userCode };
	}

	/** The pending grant of a user code, however it is spaced and cased. */
	async find(userCode: string): Promise<{ key: string; grant: DeviceGrant } | undefined> {
		const letters = plain(userCode);
		const key = letters.length === 8 ? await this.#store.get(`u:${letters}`) : undefined;
		const text = key === undefined ? undefined : await this.#store.get(`d:${key}`);
		if (key === undefined || text === undefined) return undefined;
		const grant = JSON.parse(text) as DeviceGrant;
		return grant.status === 'pending' ? { key, grant } : undefined;
	}

	/** Ends the wait; the user code can be used once. False when somebody else was faster. */
	async settle(
		userCode: string,
		makeSession: (() => Promise<string>) | undefined,
	): Promise<boolean> {
		const found = await this.find(userCode);
		if (!found || !(await this.#store.delete(`u:${plain(userCode)}`))) return false;
		const { key, grant } = found;
		if (makeSession)
			await this.#write(key, { ...grant, status: 'approved', sid: await makeSession() });
		else await this.#write(key, { ...grant, status: 'denied' });
		return true;
	}

	/** One question of the device. Of many at once exactly one gets the session. */
	async poll(deviceCode: string): Promise<PollResult> {
		const key = hash(deviceCode);
		const text = /^[A-Za-z0-9_-]{43}$/.test(deviceCode)
			? await this.#store.get(`d:${key}`)
			: undefined;
		if (text === undefined) return { kind: 'error', error: 'expired_token' };
		const grant = JSON.parse(text) as DeviceGrant;
		if (grant.status !== 'pending') {
			const taken = await this.#store.take(`d:${key}`);
			if (taken === undefined) return { kind: 'error', error: 'expired_token' };
			return grant.status === 'approved' && grant.sid !== undefined
				? { kind: 'approved', sid: grant.sid }
				: { kind: 'error', error: 'access_denied' };
		}
		// The clock of the last question has its own record, so that it cannot undo an approval.
		const [last = 0, interval = pollIntervalS] =
			(await this.#store.get(`p:${key}`))?.split(' ').map(Number) ?? [];
		// A second less than asked for, so that a clock that rounds is not punished.
		const sinceMs = this.#now() - last;
		// A clock that was set back must not slow anybody down for as long.
		const tooSoon = sinceMs >= 0 && sinceMs < (interval - 1) * 1000;
		await this.#store.set(
			`p:${key}`,
			`${this.#now()} ${tooSoon ? interval + 5 : interval}`,
			deviceLifeS * 1000,
		);
		return { kind: 'error', error: tooSoon ? 'slow_down' : 'authorization_pending' };
	}

	async #write(key: string, grant: DeviceGrant): Promise<void> {
		await this.#store.set(
			`d:${key}`,
			JSON.stringify(grant),
			Math.max(1000, grant.expiresAt - this.#now()),
		);
	}
}

function plain(userCode: string): string {
	return userCode.toUpperCase().replace(/[^A-Z]/g, '');
}

function hash(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}
