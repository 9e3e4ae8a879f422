/** Options of the command line: numbers as people write them, within their limits. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readArgs } from '../../server/cli/args.ts';
import { UsageError } from '../../server/cli/command.ts';

const options = { port: { type: 'string' }, share: { type: 'string' } } as const;
const portIn = (text: string) => readArgs([`--port=${text}`], options).integer('port', -5, 65_535);

test('a number is digits, and nothing that only programs would read as one', () => {
	assert.deepEqual(['0', '08080', '+7', '-5', '65535'].map(portIn), [0, 8080, 7, -5, 65_535]);
	assert.equal(readArgs(['--share', '0.25'], options).number('share', 0, 1), 0.25);
	assert.equal(readArgs(['--share', '.5'], options).number('share', 0, 1), 0.5);
	for (const text of [
		'',
		' ',
		'0x50',
		'5.',
		'1e3',
		'65536',
		'-6',
		'Infinity',
		'NaN',
		'1.5',
		'1_000',
		'.',
	])
		assert.throws(() => portIn(text), UsageError, text);
});
