/** The threads of the language tools: nobody waits for another one's tables, and none computes without end. */

import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { languageToolsInWorker } from '../../server/translate/languageThread.ts';

const japanese = '今日は天気がいいので、公園まで歩きます。'.repeat(200);

test('a language is told while the dictionary of another request is loaded', async () => {
	const tools = languageToolsInWorker(tmpdir());
	const order: string[] = [];
	await Promise.all([
		tools.transliterate(japanese, 'ja', 'Jpan', 'Latn').then(() => order.push('transliterate')),
		tools.detect('The window is open and the door is closed.').then(({ language }) => {
			order.push(`detect ${language}`);
		}),
		tools.sentences('One. Two.', 'en').then(({ length }) => order.push(`sentences ${length}`)),
	]);
	assert.equal(order.at(-1), 'transliterate');
	assert.deepEqual(order.slice(0, 2).sort(), ['detect en', 'sentences 2']);
});

test('a question that takes too much computing is ended, and the next one finds a new thread', async () => {
	const tools = languageToolsInWorker(tmpdir(), 1);
	await assert.rejects(tools.transliterate(japanese.repeat(20), 'ja', 'Jpan', 'Latn'), {
		code: 'too_expensive',
	});
	assert.equal(await tools.transliterate('Привет', 'ru', 'Cyrl', 'Latn'), 'Privet');
});
