/**
 * The sign-in layer's word on who is calling, for the model server behind it: made here by the one and read
 * here by the other. Both hold the same secret, which is no key of the model server and opens nothing else.
 */

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** A word holds for so long before and after it was given: clocks differ, requests wait. */
export const maxAgeMs = 5 * 60_000;

/** What a person is called here: opaque, the same for one person for ever. */
const opaqueId = /^sid:[0-9a-f]{32}$/;
const form = /^v1\.([0-9a-f]{32})\.(\d{1,16})\.([\w-]{43})$/;

const keys = new Map<string, Buffer>();

function keyOf(secret: string): Buffer {
	const known = keys.get(secret);
	if (known) return known;
	const key = Buffer.from(hkdfSync('sha256', secret, '', 'nearglot person v1', 32));
	// A server has one or two secrets in its life; this only keeps tests from growing.
	if (keys.size > 16) keys.clear();
	keys.set(secret, key);
	return key;
}

const mac = (secret: string, text: string): Buffer =>
	createHmac('sha256', keyOf(secret)).update(text).digest();

/**
 * The value of the header.
 * @param person `sid:` and 32 hex digits, as the key ring makes it
 * @param now milliseconds since 1970
 * @throws Error when the id has another form: it would tell who somebody is
 */
export function signPerson(secret: string, person: string, now: number): string {
	if (!opaqueId.test(person)) throw new Error('A person is named by an opaque id only.');
	const said = `v1.${person.slice('sid:'.length)}.${Math.floor(now)}`;
	return `${said}.${mac(secret, said).toString('base64url')}`;
}

/**
 * Who a header names: `person:` and 32 hex digits. `undefined` when it was signed with another secret, is
 * older or newer than {@link maxAgeMs}, or is no such header.
 */
export function readPerson(secret: string, value: string, now: number): string | undefined {
	const [, id, time, signature] = form.exec(value) ?? [];
	if (id === undefined || time === undefined || signature === undefined) return undefined;
	const given = Buffer.from(signature, 'base64url');
	const wanted = mac(secret, `v1.${id}.${time}`);
	if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined;
	return Math.abs(now - Number(time)) <= maxAgeMs ? `person:${id}` : undefined;
}
