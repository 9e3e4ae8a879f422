/** What can be the id of a person: all that the product itself makes, and nothing else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPersonId } from '../../server/protocol/personIds.ts';

test('ids that the product makes are ids of persons, of people without a name at their directory, too', () => {
	const made = ['local', 'anonymous', 'key:01234567', `person:${'0'.repeat(32)}`, 'directory:'];
	for (const id of [...made, `directory:${'x'.repeat(255)}`]) assert.ok(isPersonId(id), id);
	for (const id of ['bob', '', 'key:0123456789', 'person:1', ' local', 'local\n'])
		assert.ok(!isPersonId(id), id);
});
