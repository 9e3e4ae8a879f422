/** Transcripts as Word documents: whole files that other readers open, with all that was said. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportFile, type TranscriptDocument } from '../../server/protocol/index.ts';
import { textsOf } from '../translate/documents/officeFiles.ts';

const line = (id: number, start: number, text: string, speaker?: string) => ({
	...{ id, start, end: start + 1, text, words: [] },
	...(speaker === undefined ? {} : { speaker }),
});
const document = {
	...{ language: 'en', duration: 10 },
	lines: [line(1, 0, 'Less < more & "so"', 'A'), line(2, 65, 'A second\u0000 line', 'B')],
	translation: { to: 'de', lines: { 1: { text: 'Weniger' }, 2: { text: 'Zeile zwei' } } },
	speakers: { A: 'Anna' },
} as unknown as TranscriptDocument;

const bodyOf = async (content: 'original' | 'translation' | 'both', times: boolean) => {
	const bytes = exportFile(document, { format: 'docx', content, times, title: 'Talk & more' });
	const parts = await textsOf(Buffer.from(bytes), 'talk.docx');
	assert.ok(parts.has('[Content_Types].xml') && parts.has('_rels/.rels'));
	return parts.get('word/document.xml') ?? '';
};

/** Words of a document, one paragraph a line. */
const wordsOf = (xml: string) =>
	xml
		.split('</w:p>')
		.map((part) => [...part.matchAll(/<w:t [^>]*>([^<]*)</g)].map(([, text]) => text).join(''))
		.filter((text) => text !== '');

test('a Word document has its title, who speaks, what is said and when', async () => {
	assert.deepEqual(wordsOf(await bodyOf('original', false)), [
		'Talk &amp; more',
		'Anna: Less &lt; more &amp; "so"',
		'B: A second line',
	]);
	const timed = wordsOf(await bodyOf('translation', true));
	assert.deepEqual(timed.slice(1), ['0:00  Anna: Weniger', '1:05  B: Zeile zwei']);
});

test('both languages stand in a table, line beside line', async () => {
	const body = await bodyOf('both', true);
	assert.equal(body.split('<w:tr>').length, 4);
	assert.deepEqual(wordsOf(body).slice(1, 6), [
		...['en', 'de', '0:00', 'Anna: Less &lt; more &amp; "so"', 'Weniger'],
	]);
});

test('other forms are the text in UTF-8', () => {
	const options = { content: 'original', times: false, title: 't' } as const;
	const bytes = exportFile(document, { ...options, format: 'text' });
	assert.match(new TextDecoder().decode(bytes), /Anna: Less < more/);
});
