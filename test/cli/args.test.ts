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

test('an option takes a negative number like any other, and says its range of one that is too small', () => {
	const share = (...args: string[]) => readArgs(args, options).number('share', -1, 1);
	assert.equal(share('--share', '-0.5'), -0.5);
	assert.equal(share('--share', '-.5', 'x'), -0.5);
	assert.throws(
		() => share('--share', '-5'),
		/^Error: --share takes a number from -1 to 1, not '-5'\.$/,
	);
	assert.deepEqual(readArgs(['--', '--share', '-5'], options).positionals, ['--share', '-5']);
	assert.throws(() => readArgs(['--none', '-5'], options), /^Error: Unknown option '--none'/);
	for (const value of ['-x', '--port'])
		assert.throws(
			() => share('--share', value),
			/^Error: --share takes a value; one that begins with a dash is written behind an equals sign: --share=-…$/,
		);
	assert.equal(readArgs(['--share=-x'], options).text('share'), '-x');
});
