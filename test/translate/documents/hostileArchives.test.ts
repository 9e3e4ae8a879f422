/** Files that only look like documents: bombs, names that lead elsewhere, encryption, entities. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zipOf } from '../../support/zipOf.ts';
import { contentTypes, translated, wordFile, wordText } from './officeFiles.ts';

const refusedWith = async (file: Uint8Array, message: RegExp, fileName = 'a.docx') =>
	assert.rejects(
		translated(file, fileName),
		({ code, message: said }: Error & { code?: string }) => {
			assert.match(said, message);
			assert.match(code ?? '', /^(?:invalid_request|too_expensive)$/);
			return true;
		},
	);
const paragraph = '<w:p><w:r><w:t>Some words</w:t></w:r></w:p>';

/** A file with a number of four or two bytes in its directory changed, from the record of a part. */
function patched(file: Uint8Array, part: string, offset: number, value: number, bytes = 4) {
	const made = Buffer.from(file);
	const at = made.lastIndexOf(Buffer.from(part)) - 46;
	made.writeUIntLE(value, at + offset, bytes);
	return made;
}

test('old and encrypted Office files, damaged and empty ones, and other files are told apart', async () => {
	const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512)]);
	await refusedWith(old, /encrypted, or in the format of Office before 2007\. Open it/);
	await refusedWith(Buffer.from('%PDF-1.7'), /damaged, or its name says another format/);
	await refusedWith(Buffer.alloc(0), /damaged/);
	const whole = await wordFile(paragraph);
	await refusedWith(whole.subarray(0, whole.length - 30), /a\.docx cannot be translated/);
	await refusedWith(await zipOf({ 'a.txt': 'Some words' }), /document of another kind/);
	const odf = { 'content.xml': '<a/>', 'META-INF/manifest.xml': '<m:encryption-data/>' };
	await refusedWith(await zipOf(odf), /encrypted.*save it without/, 'a.odt');
	await refusedWith(patched(whole, 'word/document.xml', 8, 1, 2), /encrypted|is damaged|cannot be/);
});

test('a part that unpacks to more than it says, or to very much, is refused', async () => {
	const whole = await wordFile(paragraph);
	await refusedWith(
		patched(whole, 'word/document.xml', 24, 20),
		/word\/document\.xml.* is damaged/,
	);
	await refusedWith(patched(whole, 'word/document.xml', 24, 2 ** 31), /larger than 96 MiB/);
	await refusedWith(patched(whole, 'word/document.xml', 16, 1), /is damaged/);
});

test('parts that share bytes, have one name or lead out of the file are refused', async () => {
	const two = await zipOf({
		'word/document.xml': wordText(paragraph),
		'word/header1.xml': '<w:hdr/>',
	});
	await refusedWith(patched(two, 'word/header1.xml', 42, 0), /lies inside of another|cannot be/);
	const named = Buffer.from(two);
	for (let at = named.indexOf('word/header1.xml'); at >= 0; at = named.indexOf('word/header1.xml'))
		named.write('../../header.xml', at);
	await refusedWith(named, /invalid relative path|cannot be translated/);
	const same = await zipOf({ 'word/footer1.xml': '<w:hdr/>', 'word/footer2.xml': '<w:hdr/>' });
	const twice = Buffer.from(same);
	for (let at = twice.indexOf('footer2'); at >= 0; at = twice.indexOf('footer2'))
		twice.write('footer1', at);
	await refusedWith(twice, /two of its parts have the name/);
});

test('a file with a great many parts is refused before they are read', async () => {
	const made = Buffer.from(await wordFile(paragraph));
	for (const offset of [-14, -12]) made.writeUInt16LE(10_001, made.length + offset);
	await refusedWith(made, /more than 10000 parts/);
});

test('entities of a part are not read, and neither is what is not XML', async () => {
	const part = (text: string) =>
		zipOf({ '[Content_Types].xml': contentTypes, 'word/document.xml': text });
	const entity = `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${wordText(paragraph.replace('Some', '&x;'))}`;
	await refusedWith(
		await part(entity.replace('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n', '')),
		/entities of its own/,
	);
	await refusedWith(await part(wordText('<w:p><w:r></w:p>')), /damaged at line 2.*closes nothing/);
	await refusedWith(await part(wordText('<w:p><w:r>')), /closes nothing|is not closed/);
	await refusedWith(await part(wordText('<w:p a=b/>')), /is broken/);
	await refusedWith(await part('\u0000'), /damaged|code 0/);
	await refusedWith(await part(`<a>${'<b>'.repeat(5000)}</a>`), /nested too deeply/);
});

test('a word of a document is not what stands between its parts', async () => {
	await refusedWith(await wordFile(`${paragraph}\u0000\u0000`), /damaged|outside|code 0|nested/);
});
