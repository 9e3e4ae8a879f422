/** `name_typ` of the principal: a standard parser finds the name, whatever provider gave it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedClaims, toClaims } from '../../server/gateway/identity/claims.ts';

const identity = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

/** As `new ClaimsIdentity(claims, auth_typ, name_typ, role_typ).Name` does. */
function parsedName(values: Record<string, unknown>, name: string) {
	const { claims, nameType } = namedClaims(toClaims(values), name);
	return { type: nameType, name: claims.find(({ typ }) => typ === nameType)?.val };
}

test('the type of the claim that gave the name is named, for every kind of provider', () => {
	for (const [values, name, type] of [
		// The directory: the published example has the address as the name.
		[
			{
				sub: 's',
				oid: 'o',
				email: 'ann@corp.example',
				name: 'Ann',
				preferred_username: 'ann@corp.example',
			},
			'ann@corp.example',
			`${identity}/emailaddress`,
		],
		[
			{ sub: 's', oid: 'o', preferred_username: 'ann@corp.example' },
			'ann@corp.example',
			'preferred_username',
		],
		[{ sub: 's', upn: 'ann@corp.example' }, 'ann@corp.example', `${identity}/upn`],
		[
			{ sub: '12', name: 'Ann', email: 'ann@mail.example' },
			'ann@mail.example',
			`${identity}/emailaddress`,
		],
		[{ sub: '12', name: 'Ann B.' }, 'Ann B.', 'name'],
		[{ sub: '77', preferred_username: 'annb', name: 'Ann B.' }, 'annb', 'preferred_username'],
		[{ sub: '77' }, '77', `${identity}/nameidentifier`],
		[{ sub: '77', badge: 'B-12' }, 'B-12', 'badge'],
	] as const)
		assert.deepEqual(parsedName(values, name), { type, name }, JSON.stringify(values));
});

test('a name that no claim has is added as one', () => {
	assert.deepEqual(parsedName({ sub: '5' }, 'someone'), {
		type: `${identity}/name`,
		name: 'someone',
	});
	// A parser takes the first claim of a type: one that says something else is not named.
	const { type } = parsedName(
		{ sub: '5', email: ['other@a.example', 'me@a.example'] },
		'me@a.example',
	);
	assert.equal(type, `${identity}/name`);
});
