/** What is known of new messages beside their translations. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageNotes } from '../../server/lsp/messageNotes.ts';
import { parseGlossary } from '../../server/translate/workspaceGlossary.ts';

test('a message has the estimate of its own text, and terms in the language of the source alone', async () => {
	const notes = new MessageNotes();
	const translate = notes.noting(async (texts) =>
		texts.map((text) => ({ text: `[${text}]`, ...(text === 'Close' ? { quality: 0.25 } : {}) })),
	);
	assert.deepEqual(await translate(['Close', ' Open the window '], 'en'), [
		'[Close]',
		'[ Open the window ]',
	]);
	const glossary = parseGlossary('en\tfr\tde\nwindow\topen\tFenster\nclose\tfermer\tZumachen\n');
	const added = [
		{ path: ['a'], text: 'Close', translation: 'zumachen!' },
		{ path: ['b'], text: 'Open the window, the window {close}', translation: 'Öffnen' },
		{ path: ['c'], text: 'Other' },
	];
	assert.deepEqual(notes.annotated(added, { from: 'en', to: 'de' }, glossary), [
		{ ...added[0], quality: 0.25, terms: [{ source: 'Close', target: 'Zumachen', isUsed: true }] },
		{ ...added[1], terms: [{ source: 'window', target: 'Fenster', isUsed: false }] },
		added[2],
	]);
	assert.deepEqual(notes.annotated(added, { from: 'en', to: 'es' }, glossary)[1], added[1]);
});
