/** A summary and chapters of a transcript: what is asked of a model, and what is read out of its answers. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	exportTranscript,
	outlineOf,
	outlineRoom,
	type TranscriptDocument,
	type TranscriptLine,
} from '../../server/protocol/index.ts';
import { readOutline } from '../../server/protocol/transcriptOutline.ts';

const line = (id: number, text: string): TranscriptLine => ({
	...{ id, start: 10 * id, end: 10 * id + 9, text, words: [] },
});
const talk = (count: number): TranscriptDocument => ({
	...{ language: 'de', duration: 10 * count },
	lines: Array.from({ length: count }, (_, id) => line(id, `Satz ${id} ${'wort '.repeat(30)}`)),
});

test('an answer is read whatever a model puts around it', () => {
	const { lines } = talk(5);
	const answer = [
		'Sure! **Summary:** It is about',
		'a garden.',
		'1: Roses',
		'- 3) "The fence"',
		'[2]: Backwards',
		'9: There is no such line',
		`4: ${'long '.repeat(30)}`,
		'5. **Weather**',
		'I hope this helps.',
	].join('\n');
	assert.deepEqual(readOutline(answer, lines), {
		summary: 'Sure! Summary: It is about a garden.',
		chapters: [
			{ start: 0, title: 'Roses' },
			{ start: 20, title: 'The fence' },
			{ start: 40, title: 'Weather' },
		],
	});
	assert.equal(readOutline('Zusammenfassung: Kurz.', lines).summary, 'Kurz.');
	assert.deepEqual(readOutline('', lines), { summary: '', chapters: [] });
});

test('a long transcript is read in parts that fit, each line once, and the parts are summed up', async () => {
	const document = talk(60);
	const asked: string[] = [];
	const progress: string[] = [];
	const outline = await outlineOf(document, {
		ask: async (question) => {
			asked.push(question);
			if (question.startsWith('These notes')) return 'All of it.';
			return `Summary: Part ${asked.length}.\n2: Topic ${asked.length}`;
		},
		maxCharacters: 4000,
		onProgress: (done, total) => progress.push(`${done}/${total}`),
	});
	const parts = asked.slice(0, -1);
	assert.ok(parts.length > 2);
	assert.ok(asked.every((question) => question.length <= 4000));
	const read = parts.join('').match(/Satz \d+ /g) ?? [];
	assert.deepEqual(
		read,
		document.lines.map((_, id) => `Satz ${id} `),
	);
	assert.match(parts[0] ?? '', /Answer in German/);
	assert.match(asked.at(-1) ?? '', /Part 1\.\nPart 2\./);
	assert.equal(outline.summary, 'All of it.');
	assert.equal(outline.chapters.length, parts.length);
	assert.equal(outline.chapters[0]?.start, 0, 'the first chapter begins with the recording');
	assert.ok(
		outline.chapters.every(({ start }, index, all) => start > (all[index - 1]?.start ?? -1)),
	);
	assert.equal(progress.at(-1), `${parts.length + 1}/${parts.length + 1}`);
});

test('a model that reads too little, or says nothing, is refused in words', async () => {
	const deps = { ask: async () => '', onProgress: () => {} };
	await assert.rejects(outlineOf(talk(3), { ...deps, maxCharacters: outlineRoom(512, 'en') }), {
		code: 'not_supported',
	});
	await assert.rejects(outlineOf(talk(3), { ...deps, maxCharacters: outlineRoom(8192, 'en') }), {
		code: 'conflict',
	});
	const room = (language: string) => outlineRoom(4096, language);
	assert.equal(room('de'), room('en'));
	for (const language of ['ru', 'el', 'uk']) assert.equal(3 * room(language), 2 * room('en'));
	for (const language of ['ja', 'hi', 'ar', 'he', 'ta', 'yue', 'ko'])
		assert.equal(3 * room(language), room('en'), language);
	assert.ok(outlineRoom(1 << 20, 'en') < 50_000);
});

test('texts, Markdown and JSON begin with what sums them up, a translation does not', () => {
	const document: TranscriptDocument = {
		...talk(2),
		outline: { summary: 'Kurz *und* gut.', chapters: [{ start: 10, title: 'Zaun' }], model: 'm' },
	};
	const options = { content: 'original', times: false, title: 'a.wav' } as const;
	const text = exportTranscript(document, { ...options, format: 'text' });
	assert.ok(text.startsWith('Kurz *und* gut.\n\n0:10 Zaun\n\nSatz 0'));
	const markdown = exportTranscript(document, { ...options, format: 'markdown' });
	assert.ok(
		markdown.startsWith('# a.wav\n\nKurz \\*und\\* gut.\n\n- **0:10** Zaun\n\nSatz 0'),
		markdown.slice(0, 80),
	);
	const json = JSON.parse(exportTranscript(document, { ...options, format: 'json' }));
	assert.deepEqual(json.chapters, [{ start: 10, title: 'Zaun' }]);
	const translated = exportTranscript(document, {
		...options,
		format: 'text',
		content: 'translation',
	});
	assert.doesNotMatch(translated, /Kurz/);
});
