/** Names are the field's words (docs/glossary.md): what is exported, and what files are called. */

import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { type Source, sources } from './sources.ts';

/** Folders that are checked. */
const folders = ['server/engine'];

/** Words of names that are refused, and what the field says instead. */
const refused: Readonly<Record<string, string>> = {
	abilities: 'capabilities',
	ability: 'capability',
	ask: 'request',
	asked: 'requested',
	ban: 'suppress',
	banned: 'suppressed',
	bans: 'suppression',
	belt: 'set',
	bent: 'pivoted',
	door: 'router',
	doors: 'routers',
	drawn: 'sampled',
	follower: 'subscriber',
	followers: 'subscribers',
	guess: 'draft, proposal',
	guesses: 'draft, proposal',
	hear: 'transcribe',
	heard: 'transcribed',
	hearing: 'transcription',
	holes: 'padded',
	joined: 'lockstep, concatenated',
	keeper: 'manager, sync',
	lanes: 'pool',
	least: 'min',
	leg: 'hop',
	legs: 'hops',
	likeliest: 'argmax',
	most: 'max',
	race: 'gumbelMax',
	row: 'sequence, batch item; logits',
	rows: 'sequences, batch; logits',
	skeleton: 'without weights',
	stretch: 'chunk',
	stretches: 'chunks',
	tell: 'notify',
	told: 'notified',
	turn: 'run queue, macrotask, priority',
	turned: 'transposed, reversed',
	turns: 'run queue, semaphore',
	way: 'flow, route, rewrites',
	ways: 'flows, routes, rewrites',
	widen: 'cast',
	wish: 'option',
	wishes: 'options',
	word: 'token',
	words: 'tokens',
};

/** Names whose word means what it says. */
const allowed: Readonly<Record<string, string>> = {
	ReadTurns: 'turns of a conversation',
	TurnLimits: 'turns of a conversation',
	newestTurns: 'turns of a conversation',
	withoutTurns: 'turns of a conversation',
	'historyTurns.ts': 'turns of a conversation',
	indicesAtLeast: 'a comparison: ≥',
	SpeechWord: 'words of a language, with times',
	WordSpan: 'words of a language, with times',
	WordInput: 'words of a language, with times',
	WordModel: 'words of a language, with times',
	splitWords: 'words of a language, with times',
	timeWords: 'words of a language, with times',
	whisperWords: 'words of a language, with times',
	'whisperWords.ts': 'words of a language, with times',
	'words.ts': 'words of a language, with times',
	WordPiece: 'an algorithm',
	'wordPiece.ts': 'an algorithm',
};

/** `readKvCache.ts` → `read kv cache`, in lower case. */
function wordsOf(name: string): string[] {
	return (
		name
			.replace(/\.tsx?$/, '')
			.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)
			?.map((word) => word.toLowerCase()) ?? []
	);
}

function exportedNames({ text }: Pick<Source, 'text'>): string[] {
	const found = text.matchAll(
		/^export (?:declare |abstract |async )*(?:function\*?|class|interface|type|const|let) (\w+)/gm,
	);
	return [...found].map(([, name = '']) => name);
}

/** Old words in names, each with its replacement. */
function oldWords(names: readonly string[]): string[] {
	return names.flatMap((name) =>
		wordsOf(name)
			.filter((word) => Object.hasOwn(refused, word) && !Object.hasOwn(allowed, name))
			.map((word) => `${name}: ${refused[word]}, not ${word}`),
	);
}

const checked = folders.flatMap((folder) => sources(folder));
const names = checked.flatMap((source) => [basename(source.path), ...exportedNames(source)]);

test('exported names and files are called what the field calls them', () => {
	assert.ok(names.length > 500, `${names.length} names`);
	assert.deepEqual(oldWords(names), []);
	assert.deepEqual(
		Object.keys(allowed).filter((name) => !names.includes(name)),
		[],
		'no longer needed in the list',
	);
});

test('limits are called max and min in every folder, exported or not', () => {
	const found = ['server', 'extension', 'webview']
		.flatMap((folder) => sources(folder))
		.filter(({ text }) => /\b(?:most|least)[A-Z]/.test(text));
	assert.deepEqual(
		found.map(({ path }) => path),
		[],
	);
});

test('an old word is found wherever it stands in a name, and only as a word of its own', () => {
	assert.deepEqual(oldWords(['mostWaiting', 'planRows', 'JoinedModel', 'holesDecoder.ts']), [
		'mostWaiting: max, not most',
		'planRows: sequences, batch; logits, not rows',
		'JoinedModel: lockstep, concatenated, not joined',
		'holesDecoder.ts: padded, not holes',
	]);
	assert.deepEqual(oldWords(['browser', 'mask', 'alwaysOn', 'keywords', 'return.ts']), []);
	const text = 'export async function one() {}\nexport class Two {}\nexport const three = 3;\n';
	assert.deepEqual(exportedNames({ text }), ['one', 'Two', 'three']);
});

test('no two files of a checked folder are told apart by their folders alone', () => {
	const files = checked.map(({ path }) => basename(path));
	assert.deepEqual(
		files.filter((file, index) => files.indexOf(file) !== index),
		[],
	);
});

test('no name is exported twice in a checked folder', () => {
	const exported = checked.flatMap(exportedNames);
	assert.deepEqual(
		exported.filter((name, index) => exported.indexOf(name) !== index),
		[],
	);
});
