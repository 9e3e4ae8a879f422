/** Blocks of commands are whole commands of a shell: also those that no test runs, which a slip of the pen would reach readers in. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { blocksOf, documents, needs } from './blocks.ts';

/** What bash says of a text that it reads and does not run; empty where it is well formed. */
const faultOf = (text: string): string => {
	const { status, stderr, error } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
	assert.equal(error, undefined);
	return status === 0 && stderr === '' ? '' : `${status} ${stderr}`;
};

const all = documents.flatMap((document) =>
	blocksOf(document).filter(({ language }) => language === 'sh'),
);

test('blocks of commands are read by a shell, those that no test runs as well', {
	skip: process.platform === 'win32' && 'they are for shells of Unix',
}, () => {
	assert.ok(all.some((block) => needs(block) !== undefined));
	const faults = all.flatMap(({ document, line, text }) => {
		const fault = faultOf(text);
		return fault === '' ? [] : [`${document}:${line}: ${fault}`];
	});
	assert.deepEqual(faults, []);
	for (const broken of ['echo "open', 'for a in b; do echo $a', 'cat <<END\nnever ended\n'])
		assert.notEqual(faultOf(broken), '', broken);
});
