/** Keys of messages in code, and what a hover on one shows. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyInCode } from '../../../extension/messages/keyInCode.ts';
import {
	isMissing,
	keyAtLine,
	type MessageTable,
	messageMarkdown,
} from '../../../extension/messages/messageTable.ts';
import { messageStates } from '../../../server/translate/documents/messageStates.ts';

/** The key at the `|` of a line. */
function keyAt(line: string) {
	const at = line.indexOf('|');
	const found = keyInCode(line.replace('|', ''), at);
	return found && `${found.key}${found.isCalled ? '()' : ''}`;
}

test('the key under the cursor is found in calls, components and directives, whatever the quotes', () => {
	assert.equal(keyAt("const a = t('files.o|pen');"), 'files.open()');
	assert.equal(keyAt('i18n.t("common:files.o|pen", { n })'), 'files.open()');
	assert.equal(keyAt('{{ $t(`files.o|pen`) }}'), 'files.open()');
	assert.equal(keyAt('<Trans i18nKey="gree|ting">'), 'greeting()');
	assert.equal(keyAt("intl.formatMessage({ id: 'gree|ting' })"), 'greeting()');
	assert.equal(keyAt('context.getString(R.string.app_n|ame)'), 'app_name()');
	assert.equal(keyAt("const name = 'gree|ting';"), 'greeting');
	assert.equal(keyAt("import a from './fi|les.ts';"), './files.ts');
	assert.equal(keyAt("const a = 1|; t('x')"), undefined);
	assert.equal(keyAt("f('a', t('sec|ond'), 'third')"), 'second()');
});

const source = '{\n  "files": {\n    "open": "Open",\n    "close": "Close"\n  }\n}\n';
const german = '{\n  "files": {\n    "open": "[Öffnen](command:x) | <b>"\n  }\n}\n';

function table(): MessageTable {
	const states = messageStates(source, german, 'json', 'de');
	const rows = states.map(({ path, ...row }) => ({ ...row, key: path.join('.') }));
	return {
		source: { language: 'en', uri: 'file:///p/en.json', text: source },
		columns: [
			{
				to: 'de',
				uri: 'file:///p/d(e).json',
				text: german,
				rows: new Map(rows.map((row) => [row.key, row])),
			},
		],
	};
}

test('a hover has a row for each language with a link to its line, and says what is missing', () => {
	const shown = messageMarkdown(table(), 'files.close', 'missing');
	assert.match(shown, /\| \[en\]\(file:\/\/\/p\/en\.json#L4\) \| Close \|/);
	assert.match(shown, /\| \[de\]\(file:\/\/\/p\/d%28e%29\.json\) \| \*missing\* \|$/);
	assert.equal(isMissing(table(), 'files.close'), true);
	assert.equal(isMissing(table(), 'files.open'), false);
	assert.equal(messageMarkdown(table(), 'files', 'missing'), '');
	assert.equal(messageMarkdown(table(), 'constructor', 'missing'), '');
});

test('what a message says is text in a hover: no link, no tag, no cell', () => {
	const [, row = ''] = messageMarkdown(table(), 'files.open', '').split('| [de]');
	const text = row.slice(row.indexOf(') | ') + 4, -2);
	assert.doesNotMatch(text, /[[\]()|<>]/);
	assert.match(row, /#L3\)/);
});

test('the line of a message file says its key, in the source and in a translation', () => {
	assert.equal(keyAtLine(table(), 'file:///p/en.json', 3), 'files.close');
	assert.equal(keyAtLine(table(), 'file:///p/d(e).json', 2), 'files.open');
	assert.equal(keyAtLine(table(), 'file:///p/d(e).json', 3), undefined);
	assert.equal(keyAtLine(table(), 'file:///p/other.json', 2), undefined);
});
