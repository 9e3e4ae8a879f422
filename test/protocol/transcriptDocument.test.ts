/** Lines of a transcript: words in place, times that survive editing, files in five forms. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	cutSeconds,
	editLine,
	exportName,
	exportTranscript,
	lineOf,
	linePieces,
	mergeLines,
	parseTranscriptMessage,
	splitLine,
	type Transcript,
	type TranscriptDocument,
	transcriptDocumentOf,
} from '../../server/protocol/index.ts';

const segment = (id: number, start: number, end: number, text: string) => ({
	...{ id, seek: 0, start, end, text, tokens: [], temperature: 0 },
	...{ avg_logprob: -0.1, compression_ratio: 1, no_speech_prob: 0 },
});

const transcript: Transcript = {
	task: 'transcribe',
	language: 'english',
	language_code: 'en',
	duration: 9,
	text: 'Ask not, my friend. Never.',
	segments: [segment(0, 0, 4, 'Ask not, my friend.'), segment(1, 7, 8, 'Never.')],
	words: [
		{ word: 'Ask', start: 0.2, end: 0.5 },
		{ word: 'not,', start: 0.5, end: 1.1 },
		{ word: 'my', start: 1.4, end: 1.6 },
		{ word: 'friend.', start: 1.6, end: 2.4 },
		{ word: 'Never.', start: 7.1, end: 7.6 },
	],
};

const translatedDocument: TranscriptDocument = {
	...transcriptDocumentOf(transcript),
	translation: {
		to: 'de',
		lines: {
			0: { source: 'Ask not, my friend.', text: 'Frag nicht, mein Freund.' },
			1: { source: 'Never.', text: 'Nie.' },
		},
	},
};

const options = { format: 'text', content: 'original', times: false, title: 'talk_1.mp3' } as const;

test('words go to the lines whose text they are, in order', () => {
	const [first, second] = transcriptDocumentOf(transcript).lines;
	assert.deepEqual(
		first?.words.map(({ word }) => word),
		['Ask', 'not,', 'my', 'friend.'],
	);
	assert.deepEqual(second?.words, [{ word: 'Never.', start: 7.1, end: 7.6 }]);
});

test('the pieces of a line give its text and know the times of its words', () => {
	const [line] = transcriptDocumentOf(transcript).lines;
	assert.ok(line);
	const pieces = linePieces(line);
	assert.equal(pieces.map(({ text }) => text).join(''), line.text);
	assert.equal(pieces.find(({ text }) => text === 'my')?.word?.start, 1.4);
});

test('a corrected word takes the time of the one it replaces, the others keep theirs', () => {
	const changed = editLine(transcriptDocumentOf(transcript), 0, ' Ask what,\n my dear friend. ');
	const [line] = changed.lines;
	assert.equal(line?.text, 'Ask what, my dear friend.');
	assert.deepEqual(
		line?.words.filter(({ word }) => /Ask|my|friend/.test(word)),
		transcript.words?.filter(({ word }) => /Ask|my|friend/.test(word)),
	);
	assert.deepEqual(line?.words[1], { word: 'what,', start: 0.5, end: 1.4 });
	assert.deepEqual(line?.words[3], { word: 'dear', start: 1.6, end: 1.6 });
});

test('words never go back in time, whatever is edited', () => {
	let seed = 5;
	const random = (below: number) => {
		seed = (seed * 1103515245 + 12345) % 2147483648;
		return seed % below;
	};
	const vocabulary = ['ask', 'not', 'my', 'friend.', 'Ask', 'never', '我们走吧', ''];
	let document = transcriptDocumentOf(transcript);
	for (let round = 0; round < 200; round++) {
		const text = Array.from({ length: random(9) }, () => vocabulary[random(8)]).join(' ');
		const edited = editLine(document, 0, text);
		const [line] = edited.lines;
		if (line?.id !== 0) continue;
		document = edited;
		let before = line.start;
		for (const { start, end } of line.words) {
			assert.ok(start >= before && end >= start && end <= line.end, JSON.stringify(line));
			before = start;
		}
		assert.equal(
			linePieces(line)
				.map((piece) => piece.text)
				.join(''),
			line.text,
		);
		assert.equal(line.words.map(({ word }) => word).join(''), line.text.replaceAll(' ', ''));
	}
});

test('an emptied line goes away', () => {
	assert.deepEqual(
		editLine(transcriptDocumentOf(transcript), 0, '  ').lines.map(({ id }) => id),
		[1],
	);
});

test('a line without word times has them spread over it by length', () => {
	assert.deepEqual(lineOf({ id: 3, start: 1, end: 2, text: 'a bcd' }).words, [
		{ word: 'a', start: 1, end: 1.25 },
		{ word: 'bcd', start: 1.25, end: 2 },
	]);
});

test('text breaks into paragraphs at pauses, and shows times when asked', () => {
	assert.equal(exportTranscript(translatedDocument, options), 'Ask not, my friend.\n\nNever.\n');
	assert.equal(
		exportTranscript(translatedDocument, { ...options, content: 'translation', times: true }),
		'[00:00:00] Frag nicht, mein Freund.\n[00:00:07] Nie.\n',
	);
	assert.equal(
		exportTranscript(translatedDocument, { ...options, content: 'both' }),
		'Ask not, my friend.\nFrag nicht, mein Freund.\n\nNever.\nNie.\n',
	);
});

test('Markdown puts both languages side by side and escapes what is no markup', () => {
	const text = exportTranscript(editLine(translatedDocument, 1, 'a|b *c*'), {
		...options,
		format: 'markdown',
		content: 'both',
		times: true,
	});
	assert.equal(
		text,
		[
			'# talk\\_1.mp3',
			'',
			'|  | en | de |',
			'| ---: | --- | --- |',
			'| 0:00 | Ask not, my friend. | Frag nicht, mein Freund. |',
			'| 0:07 | a\\|b \\*c\\* | Nie. |',
			'',
		].join('\n'),
	);
});

test('subtitles carry both languages in one cue', () => {
	const text = exportTranscript(translatedDocument, { ...options, format: 'srt', content: 'both' });
	assert.equal(
		text,
		'1\n00:00:00,000 --> 00:00:04,000\nAsk not, my friend.\nFrag nicht, mein Freund.\n\n' +
			'2\n00:00:07,000 --> 00:00:08,000\nNever.\nNie.\n\n',
	);
	const vtt = exportTranscript(translatedDocument, {
		...options,
		format: 'vtt',
		content: 'translation',
	});
	assert.match(vtt, /^WEBVTT\n\n00:00:00\.000 --> 00:00:04\.000\nFrag nicht, mein Freund\.\n/);
});

test('JSON holds segments, words and the translation', () => {
	const value = JSON.parse(
		exportTranscript(translatedDocument, { ...options, format: 'json', content: 'both' }),
	);
	assert.equal(value.translation, 'de');
	assert.deepEqual(value.segments[1], {
		id: 1,
		start: 7,
		end: 8,
		text: 'Never.',
		translation: 'Nie.',
	});
	assert.equal(value.words.length, 5);
});

test('a file is named after the recording, its languages and its form', () => {
	const name = (content: 'original' | 'translation' | 'both') =>
		exportName('my.talk.mp3', translatedDocument, { format: 'srt', content });
	assert.equal(name('original'), 'my.talk.srt');
	assert.equal(name('translation'), 'my.talk.de.srt');
	assert.equal(name('both'), 'my.talk.en-de.srt');
});

test('messages of a page that are not as agreed are dropped', () => {
	const choice = { model: '', language: 'de', english: false };
	assert.ok(parseTranscriptMessage({ type: 'transcribe', choice }));
	assert.ok(parseTranscriptMessage({ type: 'undo' }));
	for (const wrong of [
		null,
		{ type: 'constructor' },
		{ type: 'edit', id: '1', text: '' },
		{ type: 'transcribe', choice: { ...choice, language: '../x' } },
		{ type: 'export', format: 'exe', content: 'both', times: true },
		{ type: 'translate', to: 'de&x=1' },
	])
		assert.equal(parseTranscriptMessage(wrong), undefined, JSON.stringify(wrong));
});

test('a line is cut before a word that occurs twice, and its times go with its words', () => {
	const words = ['go', 'and', 'go', 'on'].map((word, at) => ({ word, start: at, end: at + 0.5 }));
	const line = { id: 4, start: 0, end: 4, text: 'go and go, on', words, speaker: 'A' };
	const document = { language: 'en', duration: 4, lines: [line] };
	const [first, second, ...none] = splitLine(document, 4, 2).lines;
	assert.deepEqual(none, []);
	assert.deepEqual([first?.text, first?.end, first?.id], ['go and', 2, 4]);
	assert.deepEqual([second?.text, second?.start, second?.id], ['go, on', 2, 5]);
	assert.equal(second?.speaker, 'A');
	assert.equal(second?.words.length, 2);
	for (const word of [0, 4, -1]) assert.equal(splitLine(document, 4, word), document);
	assert.equal(splitLine(document, 9, 1), document);
});

test('how sure the model was stays with a line until a person has written it', () => {
	const heard = { ...transcript.segments[0]!, avg_logprob: Math.log(0.5) };
	const document = transcriptDocumentOf({
		...transcript,
		segments: [heard, { ...segment(1, 7, 8, 'Never.'), avg_logprob: 0 }],
	});
	const surenesses = ({ lines }: TranscriptDocument) => lines.map(({ sureness }) => sureness);
	assert.deepEqual(surenesses(document), [0.5, undefined], 'an engine that does not say it');
	assert.deepEqual(surenesses(splitLine(document, 0, 2)), [0.5, 0.5, undefined]);
	assert.deepEqual(surenesses(mergeLines(document, 0)), [0.5]);
	assert.deepEqual(surenesses(editLine(document, 0, 'Ask me, my friend.')), [undefined, undefined]);
});

test('how sure the model was of each word stays with it until a person has written the line', () => {
	const words = transcript.words?.map((word, at) => ({ ...word, probability: 0.5 + at / 10 }));
	const document = transcriptDocumentOf({ ...transcript, words: words ?? [] });
	const probabilities = ({ lines }: TranscriptDocument) =>
		lines.map((line) => line.words.map(({ probability }) => probability));
	assert.deepEqual(probabilities(document), [[0.5, 0.6, 0.7, 0.8], [0.9]]);
	assert.deepEqual(probabilities(splitLine(document, 0, 2)), [[0.5, 0.6], [0.7, 0.8], [0.9]]);
	assert.deepEqual(probabilities(mergeLines(document, 0)), [[0.5, 0.6, 0.7, 0.8, 0.9]]);
	const [written, other] = probabilities(editLine(document, 0, 'Ask me, my friend.'));
	assert.ok(written?.every((one) => one === undefined));
	assert.deepEqual(other, [0.9]);
});

test('words that are only left out are cut of the sound, with the silence after them; a correction cuts nothing', () => {
	const document = transcriptDocumentOf(transcript);
	const without = editLine(document, 0, 'Ask my friend.');
	assert.deepEqual(without.cuts, [{ start: 0.5, end: 1.4 }], '“not,” and the silence before “my”');
	assert.deepEqual(editLine(document, 0, 'Not, my friend.').cuts, [{ start: 0.2, end: 0.5 }]);
	assert.equal(editLine(document, 0, 'Ask now, my friend.').cuts, undefined);
	const gone = editLine(without, 1, '');
	assert.deepEqual(gone.cuts, [
		{ start: 0.5, end: 1.4 },
		{ start: 7, end: 8 },
	]);
	assert.equal(cutSeconds(gone.cuts ?? []).toFixed(1), '1.9');
	assert.deepEqual(editLine(without, 0, 'Ask us, my friend.').cuts, [], 'it says something again');
	const both = editLine(without, 0, 'Ask friend.');
	assert.deepEqual(both.cuts, [{ start: 0.5, end: 1.6 }], 'cuts that touch are one');
});

test('what is corrected after a cut brings no other cut back, and a word that is typed again is heard again', () => {
	const document = transcriptDocumentOf(transcript);
	const without = editLine(document, 0, 'Ask my friend.');
	const cut = [{ start: 0.5, end: 1.4 }];
	for (const text of ['ask my friend!', 'Ask my fiend.', 'Ask mine friend.', 'Ask, MY friend.'])
		assert.deepEqual(editLine(without, 0, text).cuts, cut, text);
	assert.deepEqual(editLine(without, 0, 'Ask not, my friend.').cuts, []);
	// The next line begins where this one ends, and the cuts of both are one.
	const beside: TranscriptDocument = {
		...document,
		lines: document.lines.map((line) =>
			line.id === 1
				? { ...line, start: 2.4, words: [{ word: 'Never.', start: 2.4, end: 3 }], end: 3 }
				: { ...line, end: 2.4 },
		),
	};
	const both = editLine(editLine(beside, 0, 'Ask not, my'), 1, '');
	assert.deepEqual(both.cuts, [{ start: 1.6, end: 3 }]);
	assert.deepEqual(editLine(both, 0, 'Ask not, my friend.').cuts, [{ start: 2.4, end: 3 }]);
	const middle = { ...document, cuts: [{ start: 0, end: 9 }] };
	assert.deepEqual(
		editLine(middle, 0, 'Ask not, our friend.').cuts,
		[
			{ start: 0, end: 1.4 },
			{ start: 1.6, end: 9 },
		],
		'a longer cut is parted',
	);
});

test('in scripts without spaces sound is cut, and times are kept, whatever a model and a dictionary call a word', () => {
	// As speech models have them: parts of words.
	const parts = ['今', '日は', 'え', 'ーと', '、', 'いい', '天', '気で', 'す。'];
	const words = parts.map((word, at) => ({ word, start: at, end: at + 1 }));
	const line = { id: 0, start: 0, end: 9, text: parts.join(''), words };
	const document = { language: 'ja', duration: 9, lines: [line] };
	const without = editLine(document, 0, '今日は、いい天気です。');
	assert.deepEqual(without.cuts, [{ start: 2, end: 4 }]);
	const times = new Map(
		without.lines[0]?.words.map(({ word, start, end }) => [word, [start, end]]),
	);
	assert.deepEqual(times.get('天気'), [6, 7.5]);
	assert.equal(editLine(document, 0, '今日は、えーと、いい天気です。').cuts, undefined, 'a comma');
	const corrected = editLine(document, 0, '明日はえーと、いい天気です。');
	assert.equal(corrected.cuts, undefined);
	assert.deepEqual(
		editLine(without, 0, '今日は、とてもいい天気です。').cuts,
		[],
		'new words there',
	);
	const chinese = [
		{ word: '我', start: 0, end: 1 },
		{ word: '们那个', start: 1, end: 4 },
		{ word: '走吧', start: 4, end: 6 },
	];
	const talk = {
		...{ language: 'zh', duration: 6 },
		lines: [{ id: 0, start: 0, end: 6, text: '我们那个走吧', words: chinese }],
	};
	assert.deepEqual(editLine(talk, 0, '我们走吧').cuts, [{ start: 2, end: 4 }]);
});
