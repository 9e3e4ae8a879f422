import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxAgeMs, readPerson, signPerson } from '../../server/gateway/identity/signedPerson.ts';

const person = `sid:${'0123456789abcdef'.repeat(2)}`;
const opaque = `person:${'0123456789abcdef'.repeat(2)}`;
const now = 1_790_000_000_000;

test('who was signed with the same secret is read, for some minutes both ways', () => {
	const value = signPerson('secret', person, now);
	for (const at of [now, now + maxAgeMs, now - maxAgeMs])
		assert.equal(readPerson('secret', value, at), opaque);
	for (const at of [now + maxAgeMs + 1, now - maxAgeMs - 1, 0, Number.NaN])
		assert.equal(readPerson('secret', value, at), undefined, String(at));
	assert.equal(readPerson('secret2', value, now), undefined);
	assert.equal(readPerson('', value, now), undefined);
});

test('no letter of it can be another', () => {
	const value = signPerson('secret', person, now);
	for (let at = 0; at < value.length; at++) {
		const other = value[at] === '1' ? '2' : '1';
		const changed = value.slice(0, at) + other + value.slice(at + 1);
		// The last letter of base64url holds two bits nobody reads.
		if (at < value.length - 1) assert.equal(readPerson('secret', changed, now), undefined, changed);
	}
	for (const bad of ['', 'v1', `${value}.`, ` ${value}`, `${value}, ${value}`, value.slice(0, -1)])
		assert.equal(readPerson('secret', bad, now), undefined, bad);
});

test('only opaque ids are signed', () => {
	for (const name of ['alice@example.com', 'sid:alice', '', `${person}0`, person.toUpperCase()])
		assert.throws(() => signPerson('secret', name, now), name);
});
