/** Names are the field's words (docs/glossary.md): what is exported, and what files are called. */

import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { type Source, sources } from './sources.ts';

/** Folders that are checked. */
const folders = ['server', 'extension', 'webview'];
const engine = 'server/engine/';

/** Words of names that are refused, and what the field says instead. */
const refused: Readonly<Record<string, string>> = {
	abilities: 'capabilities',
	ability: 'capability',
	aside: 'in worker',
	ask: 'request, confirm, pick',
	asked: 'requested',
	ban: 'suppress',
	banned: 'suppressed',
	bans: 'suppression',
	belt: 'set',
	bent: 'pivoted',
	door: 'router',
	doors: 'routers',
	follower: 'subscriber',
	followers: 'subscribers',
	front: 'language server',
	guess: 'draft, proposal, score',
	guesses: 'draft, proposal, scores',
	hear: 'transcribe',
	heard: 'transcribed',
	hearing: 'transcription',
	joined: 'lockstep, concatenated',
	keeper: 'manager, sync',
	lanes: 'pool',
	least: 'min',
	leg: 'hop',
	legs: 'hops',
	likeliest: 'argmax, most likely',
	most: 'max',
	patience: 'timeout',
	patient: 'timeout',
	patiently: 'timeout, retry',
	stretch: 'chunk',
	stretches: 'chunks',
	tell: 'notify',
	told: 'notified',
	way: 'flow, route, rewrites',
	ways: 'flows, routes, rewrites',
	wish: 'option',
	preferences: 'options',
};

/** The same in the engine, where these words have other meanings than elsewhere. */
const refusedInEngine: Readonly<Record<string, string>> = {
	...refused,
	drawn: 'sampled',
	holes: 'padded',
	race: 'gumbelMax',
	row: 'sequence, batch item; logits',
	rows: 'sequences, batch; logits',
	skeleton: 'without weights',
	turn: 'run queue, macrotask, priority',
	turned: 'transposed, reversed',
	turns: 'run queue, semaphore',
	widen: 'cast',
	word: 'token',
	words: 'tokens',
};

/** Refused in every name that is declared outside the engine, exported or not. */
const refusedAnywhere: Readonly<Record<string, string>> = Object.fromEntries(
	[
		'belt',
		'bent',
		'front',
		'transcribeLive',
		'leg',
		'likeliest',
		'patience',
		'stretch',
		'stretches',
		'tell',
	]
		.concat(['told', 'wish', 'preferences'])
		.map((word) => [word, refused[word] ?? '']),
);

/** Names whose word means what it says. */
const allowed: Readonly<Record<string, string>> = {
	ReadTurns: 'turns of a conversation',
	TurnLimits: 'turns of a conversation',
	newestTurns: 'turns of a conversation',
	withoutTurns: 'turns of a conversation',
	'historyTurns.ts': 'turns of a conversation',
	BlockRows: 'rows of a matrix',
	RowInt8: 'rows of a matrix',
	bytesPerRow: 'rows of a matrix',
	quantiseRows: 'rows of a matrix',
	'rowInt8.ts': 'rows of a matrix',
	rowsOf: 'rows of a matrix',
	'frontMatter.ts': 'front matter of Markdown',
	frontMatterPieces: 'front matter of Markdown',
	withFrontMatterLanguage: 'front matter of Markdown',
	indicesAtLeast: 'a comparison: ≥',
	setAsideIn: 'a file that cannot be read is set aside',
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

/** Files of the same name: each is where a program begins. */
const entryPoints = ['main.ts'];

/** Exports what `protocol/routes` does, without the schemas. */
const mirrors = ['server/protocol/routeAddresses.ts'];

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

/** Names that are declared in a file: not the parameters, which take their names from those. */
function declaredNames({ text }: Pick<Source, 'text'>): string[] {
	const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
	const found = code.matchAll(
		/\b(?:const|let|function\*?|class|interface|type|readonly|get|set) (\w+)|#(\w+)/g,
	);
	return [...new Set([...found].map(([, name, own]) => name ?? own ?? ''))];
}

/** Old words in names, each with its replacement. */
function oldWords(names: readonly string[], words = refused): string[] {
	return names.flatMap((name) =>
		wordsOf(name)
			.filter((word) => Object.hasOwn(words, word) && !Object.hasOwn(allowed, name))
			.map((word) => `${name}: ${words[word]}, not ${word}`),
	);
}

const namesOf = (source: Source) => [basename(source.path), ...exportedNames(source)];
const all = folders.flatMap((folder) => sources(folder));
const inEngine = all.filter(({ path }) => path.startsWith(engine));
const elsewhere = all.filter(({ path }) => !path.startsWith(engine));
const names = all.flatMap(namesOf);
const declared = new Set(elsewhere.flatMap(declaredNames));

test('exported names and files are called what the field calls them', () => {
	assert.ok(names.length > 2500, `${names.length} names`);
	assert.deepEqual(oldWords(elsewhere.flatMap(namesOf)), []);
	assert.deepEqual(oldWords(inEngine.flatMap(namesOf), refusedInEngine), []);
	assert.deepEqual(
		Object.keys(allowed).filter((name) => !names.includes(name) && !declared.has(name)),
		[],
		'no longer needed in the list',
	);
});

test('names that are not exported have no word of the old ones that means nothing else', () => {
	const found = elsewhere.flatMap((source) =>
		oldWords(declaredNames(source), refusedAnywhere).map((wrong) => `${source.path}: ${wrong}`),
	);
	assert.deepEqual(found, []);
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
	const samples = ['mostWaiting', 'planRows', 'JoinedModel', 'holesDecoder.ts'];
	assert.deepEqual(oldWords(samples, refusedInEngine), [
		'mostWaiting: max, not most',
		'planRows: sequences, batch; logits, not rows',
		'JoinedModel: lockstep, concatenated, not joined',
		'holesDecoder.ts: padded, not holes',
	]);
	assert.deepEqual(oldWords(['browser', 'mask', 'alwaysOn', 'keywords', 'return.ts']), []);
	const text = 'export async function one() {}\nexport class Two {}\nexport const three = 3;\n';
	assert.deepEqual(exportedNames({ text }), ['one', 'Two', 'three']);
	const own = '/** const four */\nclass Five {\n\treadonly #six: six;\n\tget seven() {}\n}\n';
	assert.deepEqual(declaredNames({ text: own }), ['Five', 'six', 'seven']);
});

test('no two files are told apart by their folders alone', () => {
	const files = all.map(({ path }) => basename(path));
	assert.deepEqual(
		files.filter((file, index) => files.indexOf(file) !== index && !entryPoints.includes(file)),
		[],
	);
});

test('no name is exported twice', () => {
	const exported = all.filter(({ path }) => !mirrors.includes(path)).flatMap(exportedNames);
	assert.deepEqual(
		exported.filter((name, index) => exported.indexOf(name) !== index),
		[],
	);
});
