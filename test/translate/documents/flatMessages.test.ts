/** Messages that a translated file of Apple, Android or .NET lacks are put in where the source has them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDocumentJob } from '../../../server/translate/documents/documentJob.ts';
import {
	messageFormatOf,
	missingMessages,
} from '../../../server/translate/documents/missingMessages.ts';
import { inEnglish } from '../inEnglish.ts';
import { shouting } from './shouted.ts';

async function into(fileName: string, text: string, target: string, to = 'de', answer = shouting) {
	const translator = inEnglish(async (texts) => texts.map(answer));
	const done = await runDocumentJob({ fileName, text, target, from: 'en', to }, translator);
	assert.equal(done.type, 'missing');
	if (done.type !== 'missing') throw new Error('other');
	return done.result;
}

test('.strings: entries come with their remarks, empty ones are filled', async () => {
	const source =
		'/* The menu */\n"open" = "Open %@";\n\n"save" = "Save \\"it\\"";\n"quit" = "Quit now";\n';
	const { text, added } = await into('a.strings', source, '"save" = "Sichern";\n"quit" = "";\n');
	assert.equal(
		text,
		'/* The menu */\n"open" = "OPEN %@";\n"save" = "Sichern";\n"quit" = "QUIT NOW";\n',
	);
	assert.equal(added.length, 2);
	const fresh = await into('a.strings', source, '');
	assert.match(fresh.text, /"open" = "OPEN %@";\n"save" = "SAVE \\"IT\\"";\n"quit" = "QUIT NOW";/);
});

test('Android: elements in place and order, plural forms of the target, nothing that is not translatable', async () => {
	const source = `<resources>
    <string name="a">Open <b>it</b></string>
    <string name="x" translatable="false">Code</string>
    <string name="b">Save it</string>
    <plurals name="n">
        <item quantity="one">%d file</item>
        <item quantity="other">%d files</item>
    </plurals>
</resources>
`;
	const target = '<resources>\n    <string name="b">Zapisz</string>\n</resources>\n';
	assert.deepEqual(
		missingMessages(source, target, 'android', 'pl').map(({ path }) => path[0]),
		['a', 'n'],
	);
	const { text } = await into('res/values/strings.xml', source, target, 'pl');
	assert.equal(
		text,
		`<resources>
    <string name="a">OPEN <b>IT</b></string>
    <string name="b">Zapisz</string>
    <plurals name="n">
        <item quantity="one">%d FILE</item>
        <item quantity="few">%d FILES</item>
        <item quantity="many">%d FILES</item>
        <item quantity="other">%d FILES</item>
    </plurals>
</resources>
`,
	);
	assert.equal(text, (await into('strings.xml', source, text, 'pl')).text);
	const lost = await into('strings.xml', source, target, 'pl', (one) =>
		one.replace(/%d|<[^>]*>/g, ''),
	);
	assert.ok(!lost.text.includes('name="n"'), lost.text);
	assert.match(
		(await into('strings.xml', source, '', 'pl')).text,
		/^<resources>[\s\S]*>SAVE IT<[\s\S]*<\/resources>\n$/,
	);
	assert.match(
		(await into('strings.xml', source, '<resources>\n</resources>\n', 'pl')).text,
		/SAVE IT<\/string>\n[\s\S]*<\/plurals>\n<\/resources>\n$/,
	);
});

test('.resx: data with their comments', async () => {
	const data = (name: string, value: string) =>
		`  <data name="${name}" xml:space="preserve">\n    <value>${value}</value>\n    <comment>C</comment>\n  </data>\n`;
	const source = `<root>\n${data('a', 'Open {0}')}${data('b', 'Save it')}</root>\n`;
	const { text } = await into('S.resx', source, `<root>\n${data('a', 'Auf {0}')}</root>\n`);
	assert.equal(text, `<root>\n${data('a', 'Auf {0}')}${data('b', 'SAVE IT')}</root>\n`);
	assert.equal(messageFormatOf('layout/main.xml'), undefined);
});
