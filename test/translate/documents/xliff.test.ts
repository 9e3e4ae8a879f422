/** XLIFF 1.2 and 2.0: what is filled in, and that tags, notes and finished units stay. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	formatOf,
	translatePieces,
} from '../../../server/translate/documents/translateDocument.ts';

const xliff = formatOf('a.xlf')!;
const mark = async (texts: readonly string[]) => texts.map((text) => `«${text}»`);

const old = `<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file source-language="en" target-language="de" datatype="plaintext" original="a">
    <body>
      <trans-unit id="1">
        <source>Hello <x id="INTERPOLATION" equiv-text="{{name}}"/>, <g id="2">welcome</g> &amp; enjoy</source>
        <note>for the start page</note>
      </trans-unit>
      <trans-unit id="2"><source>Open <bpt id="1">&lt;b&gt;</bpt>file<ept id="1">&lt;/b&gt;</ept></source><target/></trans-unit>
      <trans-unit id="3">
        <source>Done words</source>
        <target state="final">Fertig</target>
      </trans-unit>
      <trans-unit id="4" translate="no"><source>Acme Cloud</source></trans-unit>
      <trans-unit id="5">
        <source>Close window</source>
        <target state="new"></target>
        <alt-trans><source>Close it</source><target>Zu</target></alt-trans>
      </trans-unit>
      <group translate="no"><trans-unit id="6"><source>Keep this</source></trans-unit></group>
    </body>
  </file>
</xliff>
`;
const recent = `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="de">
  <file id="f"><unit id="1">
    <segment id="s1" state="initial">
      <source>Press <ph id="1"/> and <pc id="2">wait</pc></source>
    </segment>
    <ignorable><source> </source></ignorable>
    <segment><source>Second sentence</source><target></target></segment>
    <segment state="final"><source>Ready words</source><target>Fertig</target></segment>
  </unit>
  <unit id="2" translate="no"><segment><source>Keep this</source></segment></unit></file>
</xliff>
`;

test('XLIFF with a translation that changes nothing is the same, byte for byte', async () => {
	for (const text of [old, recent, old.replaceAll('\n', '\r\n'), recent.trimEnd(), '<xliff>', '']) {
		const same = await translatePieces(text, xliff, async (texts) => texts, 'de');
		assert.equal(same.text, text);
		assert.deepEqual(same.refused, []);
	}
});

test('XLIFF 1.2: missing and empty targets are filled and marked for review', async () => {
	for (const eol of ['\n', '\r\n']) {
		const { text } = await translatePieces(old.replaceAll('\n', eol), xliff, mark, 'de');
		const state = 'state="needs-review-translation"';
		const expected = old
			.replace(
				'enjoy</source>',
				`enjoy</source>\n        <target ${state}>«Hello <x id="INTERPOLATION" equiv-text="{{name}}"/>, <g id="2">welcome</g> &amp; enjoy»</target>`,
			)
			.replace(
				'<target/>',
				`<target ${state}>«Open <bpt id="1">&lt;b&gt;</bpt>file»<ept id="1">&lt;/b&gt;</ept></target>`,
			)
			.replace('<target state="new"></target>', `<target ${state}>«Close window»</target>`);
		assert.equal(text, expected.replaceAll('\n', eol));
	}
});

test('XLIFF 2.0: targets come into their segments, with the state of the segment', async () => {
	const { text } = await translatePieces(recent, xliff, mark, 'de');
	assert.equal(
		text,
		recent
			.replace('state="initial"', 'state="translated"')
			.replace(
				'wait</pc></source>',
				'wait</pc></source>\n      <target>«Press <ph id="1"/> and <pc id="2">wait</pc>»</target>',
			)
			.replace(
				'<segment><source>Second sentence</source><target></target>',
				'<segment state="translated"><source>Second sentence</source><target>«Second sentence»</target>',
			),
	);
});

test('XLIFF: a translation without its tags is made again in parts, each tag once', async () => {
	const asked: string[] = [];
	const { text } = await translatePieces(recent, xliff, async (texts) => {
		asked.push(...texts);
		return texts.map((words) => words.replace(/\{t\d\}/g, '').toUpperCase());
	});
	assert.match(text, /<target>PRESS <ph id="1"\/> AND <pc id="2">WAIT<\/pc><\/target>/);
	assert.ok(asked.includes('Press <t1/> and <t2>wait</t2>'));
});
