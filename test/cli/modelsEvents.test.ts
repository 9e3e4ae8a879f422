/** What people are told of downloads and builds on the command line. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readArgs } from '../../server/cli/args.ts';
import { pausedLine, showEvents, switchOf } from '../../server/cli/modelsEvents.ts';

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

test('a licence that has conditions is said to have them, and none is not called undefined', async () => {
	const start = (repository: string, license?: string) => ({
		start: {
			model: 'm',
			repository,
			totalBytes: 1000,
			...(license === undefined ? {} : { license }),
		},
	});
	const build = {
		...{ reason: 'r', architecture: 'llama', parameters: 1, storedAs: 'f32' },
		...{ sizeBytes: 1, memoryBytes: 1 },
	};
	const said = async (...events: object[]): Promise<string> => {
		let written = '';
		const write = (text: string) => {
			written += text;
		};
		const stream = { isTTY: false, write };
		const all = (async function* () {
			yield* events;
		})();
		await showEvents(all as Parameters<typeof showEvents>[0], { stderr: stream } as never);
		return written;
	};
	assert.match(await said(start('acme/tiny', 'mit')), /1\.0 kB, licence mit\.\n$/);
	assert.match(
		await said(start('acme/tiny', 'gemma')),
		/licence gemma, which has conditions; see its page\.\n$/,
	);
	assert.match(await said(start('acme/tiny')), /no licence is stated; see its page\.\n$/);
	assert.match(
		await said(start('/models/own.gguf', 'own')),
		/licence own, which has conditions\.\n$/,
	);
	const second = { start: { ...start('acme/tiny').start, build } };
	assert.doesNotMatch(await said(start('acme/tiny', 'mit'), second), /undefined/);
});
