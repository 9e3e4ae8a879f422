/** The built-in chat model in a conversation: what it answers there is what it answers alone. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openChat } from '../../bench/quality/chatOpen.ts';
import { drawDialogues, laterAnswers, turnsPerDialogue } from '../../bench/quality/dialogues.ts';

const model = fileURLToPath(new URL('../../starter/models/starter-chat', import.meta.url));

const dialogue = [
	'how do I list all files',
	'show free disk space',
	'find files larger than 100 MB',
	'what is a mutex?',
	'show the date',
	'who wrote hamlet?',
	'how do I list models',
	'extract a tar.gz file',
	'count lines in a file',
	'can you hear Spanish',
	'remove a branch in git',
	'how do I list all files',
].map((content) => ({ messages: [{ role: 'user' as const, content }] }));

async function asAlone(maxHistoryTurns?: number): Promise<number> {
	await using chat = await openChat({
		model,
		...(maxHistoryTurns === undefined ? {} : { maxHistoryTurns }),
	});
	const later = await laterAnswers(dialogue, chat.ask);
	assert.equal(later.length, dialogue.length - 1);
	return later.filter(({ answer, alone }) => answer.text === alone.text).length;
}

test('each answer in a chat of twelve turns is the one to the question alone', async () => {
	assert.equal(await asAlone(), dialogue.length - 1);
});

test('with three earlier turns it would not be, and the measurement sees that', async () => {
	assert.ok((await asAlone(3)) < dialogue.length - 1);
});

test('dialogues are drawn without repetition, the same every time', () => {
	for (const size of [11, 12, 36, 100, 1401]) {
		const questions = Array.from({ length: size }, (_, index) => index);
		const drawn = drawDialogues(questions, 1000);
		assert.equal(drawn.length, Math.floor(size / turnsPerDialogue));
		const all = drawn.flat();
		assert.equal(new Set(all).size, all.length);
		assert.deepEqual(drawDialogues(questions, 1000), drawn);
	}
});
