/** Apple's files in which a message has variants, or none of its forms is translated yet. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogueFaults, catalogueOf } from '../../../server/translate/documents/catalogues.ts';
import { shouted } from './shouted.ts';

type Localizations = Readonly<Record<string, unknown>>;

const unit = (state: string, value: string) => ({ stringUnit: { state, value } });
const forms = (one: unknown, other: unknown) => ({ variations: { plural: { one, other } } });
const files = forms(unit('translated', '%lld file'), unit('translated', '%lld files'));

const catalog = (localizations: Localizations) =>
	JSON.stringify({
		sourceLanguage: 'en',
		strings: { 'Open the file': { localizations } },
		version: '1.0',
	});

/** What becomes of the German of a message, and how much of it a check misses. */
async function german(localizations: Localizations) {
	const text = catalog(localizations);
	const catalogue = catalogueOf('a.xcstrings');
	assert.ok(catalogue);
	const missing = catalogueFaults(catalogue, text, 'de').map(({ kind }) => kind);
	const made = JSON.parse((await shouted('a.xcstrings', text)).text);
	const [message] = Object.values<{ localizations: Localizations }>(made.strings);
	return { missing, de: message?.localizations['de'] };
}

test('.xcstrings: what is new and empty is open, in the source and in plural forms as well', async () => {
	const open = unit('new', '');
	const whole = { missing: ['missing'], de: unit('needs_review', 'OPEN THE FILE') };
	assert.deepEqual(await german({ de: open }), whole);
	assert.deepEqual(await german({ en: open, de: open }), whole);
	assert.deepEqual(await german({ en: open }), whole);
	assert.deepEqual(await german({ de: {} }), whole);
	assert.deepEqual(await german({ de: forms(open, open) }), whole);
	assert.deepEqual(await german({ en: files, de: forms(open, open) }), {
		missing: ['missing'],
		de: forms(unit('needs_review', '%lld FILE'), unit('needs_review', '%lld FILES')),
	});
	assert.deepEqual(await german({ en: files, de: open }), {
		missing: ['missing'],
		de: forms(unit('needs_review', '%lld FILE'), unit('needs_review', '%lld FILES')),
	});
	const one = unit('translated', '%lld Datei');
	assert.deepEqual(await german({ en: files, de: forms(one, open) }), {
		missing: ['missing'],
		de: forms(one, unit('needs_review', '%lld FILES')),
	});
	for (const de of [unit('translated', ''), unit('translated', 'Öffnen'), forms(one, one)])
		assert.deepEqual(await german({ de }), { missing: [], de });
	// Of the variants of a device a person has made one.
	const devices = { variations: { device: { mac: unit('translated', 'Öffnen'), other: open } } };
	assert.deepEqual(await german({ de: devices }), { missing: [], de: devices });
});

test('.stringsdict: variants by width and by device are translated, and their names stay', async () => {
	const source = (words: (text: string) => string) => `<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
	<key>greeting</key>
	<dict>
		<key>NSStringVariableWidthRuleType</key>
		<dict>
			<key>20</key>
			<string>${words('Hi there')}</string>
			<key>50</key>
			<string>${words('Hello &amp; welcome')}</string>
		</dict>
	</dict>
	<key>press</key>
	<dict>
		<key>NSStringDeviceSpecificRuleType</key>
		<dict>
			<key>iphone</key>
			<string>${words('Tap it')}</string>
			<key>mac</key>
			<string>${words('Click it')}</string>
		</dict>
	</dict>
</dict></plist>
`;
	const { text } = await shouted(
		'a.stringsdict',
		source((words) => words),
	);
	assert.equal(
		text,
		source((words) => words.toUpperCase().replace('&AMP;', '&amp;')),
	);
});
