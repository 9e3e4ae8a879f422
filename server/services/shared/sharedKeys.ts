/** Keys of people, and the limits of those who sign in, as texts that replicas keep alike. */

import { AppError } from '../../protocol/index.ts';
import type { UsageLimits } from '../../protocol/limitTypes.ts';
import type { KeyStore, PersonKey } from '../limits/keyStore.ts';
import type { LocalTexts } from './sharedTexts.ts';

/** Id of the limits of people; those of keys are hexadecimal. */
const peopleId = 'people';

export function keyTexts(keys: KeyStore): LocalTexts {
	return {
		stamp: async () => keys.state,
		read: async () => {
			const texts = new Map(keys.list().map((entry) => [entry.id, textOf(entry)]));
			const limits = sorted(keys.peopleLimits);
			if (Object.keys(limits).length > 0) texts.set(peopleId, JSON.stringify(limits));
			return texts;
		},
		write: async (id, text) => {
			if (id === peopleId) keys.setPeopleLimits((text ? JSON.parse(text) : {}) as UsageLimits);
			else if (text !== undefined) keys.learn(entryOf(id, text));
			else if (keys.list().some((entry) => entry.id === id)) keys.revoke(id);
		},
		learnGone: (id) => void (id !== peopleId && keys.learnRevoked(id)),
		removed: () => new Set(keys.revoked().map(({ id }) => id)),
	};
}

/** The same text for the same key on every replica. */
const textOf = ({ id, name, hash, scopes, limits, createdAt, expiresAt, translator }: PersonKey) =>
	JSON.stringify({
		...{ id, name, hash, scopes, limits: sorted(limits), createdAt, expiresAt },
		translator: translator === undefined ? undefined : sorted(translator),
	});

const sorted = (fields: object): object =>
	Object.fromEntries(Object.entries(fields).sort(([left], [right]) => (left < right ? -1 : 1)));

/** @throws AppError `invalid_request` for a text that is no key */
function entryOf(id: string, text: string): PersonKey {
	const entry = JSON.parse(text) as PersonKey;
	const isKey =
		entry.id === id &&
		/^[0-9a-f]{8}$/.test(id) &&
		typeof entry.name === 'string' &&
		/^[0-9a-f]{64}$/.test(entry.hash) &&
		Array.isArray(entry.scopes) &&
		Number.isFinite(entry.createdAt);
	if (isKey) return entry;
	throw new AppError('invalid_request', 'What Redis holds under this id is no key.');
}
