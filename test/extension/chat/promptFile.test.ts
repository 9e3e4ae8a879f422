/** Prompts that a workspace keeps, and commands on their way into a terminal. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPrompt, readPromptCall, readPromptFile } from '../../../extension/chat/promptFile.ts';
import { terminalText } from '../../../extension/chat/terminalText.ts';

test('a prompt file is its name, its description and its words', () => {
	const text =
		'---\r\nmode: ask\r\ndescription: "Reviews a change"\r\n---\r\nReview ${selection}.\r\n';
	assert.deepEqual(readPromptFile('review.prompt.md', text), {
		name: 'review',
		description: 'Reviews a change',
		words: 'Review ${selection}.',
	});
	assert.equal(readPromptFile('plain.prompt.md', 'Only words')?.words, 'Only words');
	for (const [name, words] of [
		['a b.prompt.md', 'words'],
		['empty.prompt.md', '---\na: b\n---\n\n'],
		['notes.md', 'words'],
	] as const)
		assert.equal(readPromptFile(name, words), undefined, name);
});

test('variables of a prompt are filled once, and unknown ones stay', () => {
	const values = { input: 'be short', selection: 'a ${file}', file: 'x.ts' };
	assert.equal(
		fillPrompt('${selection} in ${file}: ${input:how} ${workspaceFolder}', values),
		'a ${file} in x.ts: be short ${workspaceFolder}',
	);
	assert.deepEqual(readPromptCall('/my-prompt two words'), {
		name: 'my-prompt',
		rest: 'two words',
	});
	assert.equal(readPromptCall('not /a call'), undefined);
});

test('a block goes to the terminal without prompts, output and what a terminal obeys', () => {
	assert.equal(terminalText('$ ls -la\ntotal 3\n$ du -sh .\n'), 'ls -la\ndu -sh .');
	assert.equal(terminalText('ls\u001b[201~\r\n\u0007pwd\u0000'), 'ls[201~\npwd');
	assert.equal(terminalText('# a remark\r\nls'), '# a remark\nls');
	assert.equal(terminalText('PS C:\\> Get-Date'), 'Get-Date');
	assert.equal(terminalText(' \n\n'), '');
});
