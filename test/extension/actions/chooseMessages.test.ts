/** New messages are all chosen at first, one by one, and only what stays chosen is put into files. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { FilledMessages } from '../../../extension/actions/filledMessages.ts';
import { desk, resetDesk } from '../vscodeDouble.ts';

const { chooseMessages } = await import('../../../extension/actions/chooseMessages.ts');

interface Row {
	readonly label: string;
	readonly detail?: string;
	readonly picked?: boolean;
	readonly source?: string;
}

const asked: (readonly string[])[] = [];
const file = (path: string): FilledMessages => ({
	...{ uri: {} as never, path, to: 'de', isNew: false, before: '{}', refused: [], kept: 0 },
	text: 'all',
	added: [
		{ path: ['files', 'open'], text: 'Open', translation: 'Öffnen' },
		{ path: ['menu', 'open'], text: 'Open', translation: 'Öffnen' },
		{ path: ['close'], text: 'Close', translation: 'Schließen' },
	],
	fillWithout: async (texts) => {
		asked.push(texts);
		const added = [{ path: ['close'], text: 'Close', translation: 'Schließen' }];
		return { text: 'some', added, kept: 0 };
	},
});

let shown: readonly Row[] = [];
const keep = (keeps: (row: Row) => boolean) => {
	desk.quickPick = async (items) => {
		shown = (items as readonly Row[]).filter(({ source }) => source !== undefined);
		return shown.filter(keeps);
	};
};
beforeEach(() => {
	resetDesk();
	asked.length = 0;
});

test('every message is a row with its translation, and chosen', async () => {
	keep(() => true);
	const files = [file('de.json'), file('de-AT.json')];
	assert.deepEqual(await chooseMessages(files), files);
	assert.deepEqual(shown.map(({ label, detail, picked }) => [label, detail, picked]).slice(0, 2), [
		['files.open, menu.open', 'German: Öffnen', true],
		['close', 'German: Schließen', true],
	]);
	assert.equal(shown.length, 4);
	assert.deepEqual(asked, []);
});

test('what is taken out is not put in, and a file without any is left alone', async () => {
	let first = true;
	keep(({ source }) => {
		const kept = first && source === 'Close';
		if (kept) first = false;
		return kept;
	});
	const chosen = await chooseMessages([file('de.json'), file('fr.json')]);
	assert.deepEqual(
		chosen?.map(({ path, text, added }) => [path, text, added.length]),
		[['de.json', 'some', 1]],
	);
	assert.deepEqual(asked, [['Open', 'Open']]);
	keep(() => false);
	assert.deepEqual(await chooseMessages([file('de.json')]), []);
	desk.quickPick = async () => undefined;
	assert.equal(await chooseMessages([file('de.json')]), undefined);
});
