/** What people are told of downloads and builds on the command line. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readArgs } from '../../server/cli/args.ts';
import { pausedLine, switchOf } from '../../server/cli/modelsEvents.ts';

test('what to type to go on has all that was typed', {
	skip: process.platform === 'win32' && 'shells of Windows quote otherwise',
}, () => {
	const line = (...args: string[]) =>
		pausedLine('pull', args).replace('Paused. Run it again to resume: ', '').trim();
	assert.equal(
		line('acme/tiny:Q8_0', '--keep', '--name=own'),
		'nearglot models pull acme/tiny:Q8_0 --keep --name=own',
	);
	assert.equal(line("it's $HOME", '--quality'), "nearglot models pull 'it'\\''s $HOME' --quality");
	assert.equal(line('a\\b', ''), "nearglot models pull 'a\\b' ''");
});

test('a switch is on, off, or not spoken of', () => {
	const option = { type: 'boolean' } as const;
	const keep = (...args: string[]) =>
		switchOf(readArgs(args, { keep: option, 'no-keep': option }), 'keep');
	assert.equal(keep('--keep'), true);
	assert.equal(keep('--no-keep'), false);
	assert.equal(keep(), undefined);
	assert.throws(() => keep('--keep', '--no-keep'), /exclude each other/);
});
