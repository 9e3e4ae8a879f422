/** Code actions, commands, reader mode, glossaries and settings as any LSP client meets them. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { MessageRow } from '../../server/protocol/index.ts';
import { type Editor, startEditor } from '../support/editorDouble.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { until } from '../support/until.ts';
import { bodyOf, textsOf, wordFile } from '../translate/documents/officeFiles.ts';

const source = `// Open the file and
// read a line.
const größeÄndern = "The file is gone.";
größeÄndern.length;
`;

let editor: Editor;
let count = 0;

before(async () => {
	editor = await startEditor({ options: { translate: { languages: ['de', 'fr'] } } });
});

after(() => editor.close());

async function openNew(languageId: string, text: string, name = `a${++count}.ts`) {
	const uri = `file:///project/${name}`;
	await editor.open(uri, languageId, text);
	return uri;
}

interface Action {
	readonly title: string;
	readonly kind: string;
	readonly data?: unknown;
	readonly edit?: { changes: Record<string, { newText: string }[]> };
	readonly command?: { command: string; arguments: object[] };
}

function actions(
	at: Editor,
	uri: string,
	from: [number, number],
	to: [number, number] = from,
	context: object = {},
) {
	return at.client.sendRequest<Action[]>('textDocument/codeAction', {
		textDocument: { uri },
		range: {
			start: { line: from[0], character: from[1] },
			end: { line: to[0], character: to[1] },
		},
		context: { diagnostics: [], ...context },
	});
}

test('a cursor in a comment or string offers to translate all of it', async () => {
	const uri = await openNew('typescript', source);
	const comment = await actions(editor, uri, [1, 5]);
	assert.deepEqual(
		comment.map(({ title }) => title),
		['Translate comment to German', 'Translate comment to French'],
	);
	const resolved = await editor.client.sendRequest<Action>('codeAction/resolve', comment[0]);
	assert.equal(resolved.edit?.changes[uri]?.[0]?.newText, '// [de] Open the file and read a line.');
	const [string] = await actions(editor, uri, [2, 30]);
	assert.equal(string?.title, 'Translate string to German');
	const selection = await actions(editor, uri, [0, 0], [2, 0]);
	assert.equal(selection[0]?.title, 'Translate comment to German');
	const automatic = await actions(editor, uri, [1, 5], [1, 5], { triggerKind: 2 });
	assert.deepEqual(automatic, [], 'no light bulb at every place of the cursor');
	const other = await actions(editor, uri, [1, 5], [1, 5], { only: ['quickfix'] });
	assert.deepEqual(other, []);
});

test('nothing is offered into the language that a text is in', async () => {
	const own = await startEditor({ options: { translate: { languages: ['en', 'de'] } } });
	try {
		await own.open('file:///project/own.ts', 'typescript', source);
		const titles = (await actions(own, 'file:///project/own.ts', [1, 5])).map(({ title }) => title);
		assert.deepEqual(titles, ['Translate comment to German']);
	} finally {
		await own.close();
	}
});

test('a name is offered an English one in its case style, everywhere but in comments', async () => {
	const uri = await openNew('typescript', `// größeÄndern\n${source}`);
	const [action] = await actions(editor, uri, [3, 8]);
	assert.equal(action?.title, 'Name this symbol in English');
	assert.equal(action.kind, 'refactor.rewrite.nearglot.name');
	const resolved = await editor.client.sendRequest<Action>('codeAction/resolve', action);
	const edits = resolved.edit?.changes[uri] ?? [];
	assert.equal(edits.length, 2);
	for (const { newText } of edits) assert.equal(newText, 'enGrosseAndern');
	const data = await openNew('json', '{"größeÄndern": 1}\n');
	const kinds = (await actions(editor, data, [0, 4])).map(({ kind }) => kind);
	assert.ok(
		!kinds.includes('refactor.rewrite.nearglot.name'),
		'a key of a file of data is no symbol',
	);
});

test('an editor that can rename is handed a command instead', async () => {
	const own = await startEditor({ options: { renameCommand: 'my.rename' } });
	try {
		await own.open('file:///b.ts', 'typescript', source);
		const [action] = await actions(own, 'file:///b.ts', [2, 8]);
		const resolved = await own.client.sendRequest<Action>('codeAction/resolve', action);
		assert.equal(resolved.command?.command, 'my.rename');
		assert.deepEqual(resolved.command.arguments, [
			{
				uri: 'file:///b.ts',
				position: { line: 2, character: 6 },
				name: 'größeÄndern',
				newName: 'enGrosseAndern',
			},
		]);
	} finally {
		await own.close();
	}
});

test('titles and faults are in the language of the client', async () => {
	for (const [locale, title, fault] of [
		['de', 'Kommentar übersetzen: Deutsch', '{name} fehlt, {nom} steht nicht in der Quelle'],
		['fr', 'Traduire le commentaire : allemand', '{name} manque, {nom} n’est pas dans la source'],
		['es-MX', 'Traducir el comentario: alemán', 'falta {name}, {nom} no está en el original'],
		['pt', 'Translate comment to alemão', '{name} is missing, {nom} is not in the source'],
	] as const) {
		const own = await startEditor({ locale, options: { translate: { languages: ['de'] } } });
		try {
			await own.open('file:///c.ts', 'typescript', source);
			const [action] = await actions(own, 'file:///c.ts', [0, 5]);
			assert.equal(action?.title, title);
			const files = { fileName: 'en.json', to: 'de', source: '{"a": "The {name}"}' };
			const text = 'Das {nom}';
			const set = await own.client.sendRequest<{ faults: object[] }>('nearglot/setMessages', {
				...{ ...files, target: '{}', messages: [{ key: 'a', text }] },
			});
			assert.deepEqual(set.faults, [{ key: 'a', fault }]);
			const seen = await own.client.sendRequest<{ messages: { fault?: string }[] }>(
				'nearglot/messageProgress',
				{ ...files, target: JSON.stringify({ a: text }), withMessages: true },
			);
			assert.equal(seen.messages[0]?.fault, fault);
		} finally {
			await own.close();
		}
	}
});

test('every action is a command, too: several ranges, below, a document, a name', async () => {
	const uri = await openNew('plaintext', 'One two.\n\tThree four.\n', 'plain.txt');
	const run = (command: string, argument: object) =>
		editor.client.sendRequest('workspace/executeCommand', { command, arguments: [argument] });
	const range = (line: number, from: number, to: number) => ({
		start: { line, character: from },
		end: { line, character: to },
	});
	await run('nearglot.server.translate', {
		uri,
		to: 'de',
		ranges: [range(0, 0, 3), range(1, 1, 6)],
	});
	const texts = () => {
		const [change] = editor.edits.at(-1)?.documentChanges ?? [];
		return change && 'edits' in change
			? change.edits.map((edit) => 'newText' in edit && edit.newText)
			: [];
	};
	assert.deepEqual(texts(), ['[de] One', '[de] Three']);
	await run('nearglot.server.translate', { uri, to: 'de', range: range(1, 1, 12), below: true });
	assert.deepEqual(texts(), ['\n\t[de] Three four.']);
	const result = await run('nearglot.server.translateDocument', { uri, to: 'de' });
	assert.deepEqual(texts(), ['[de] One two.\n\t[de] Three four.\n']);
	assert.deepEqual(result, { pieces: 2, refused: [] });
	const code = await openNew('typescript', source);
	const named = await run('nearglot.server.nameSymbol', {
		uri: code,
		position: { line: 2, character: 8 },
	});
	assert.deepEqual(named, { name: 'größeÄndern', newName: 'enGrosseAndern', from: 'de' });
	await assert.rejects(
		run('nearglot.server.translate', { uri, range: range(0, 0, 1) }),
		/argument to/,
	);
	await assert.rejects(run('nearglot.server.translate', {}), /uri/);
	await assert.rejects(
		run('nearglot.server.translate', { uri: 'file:///x', to: 'de' }),
		/not open/,
	);
});

test('missing messages of a folder are one edit to be confirmed, new languages included', async () => {
	const folder = temporaryFolder('missing');
	const own = await startEditor({
		capabilities: {
			workspace: { workspaceEdit: { changeAnnotationSupport: { groupsOnLabel: true } } },
		},
	});
	try {
		mkdirSync(join(folder, 'locales'));
		const at = (name: string) => join(folder, 'locales', name);
		writeFileSync(at('en.json'), '{\n  "a": "Open it",\n  "b": "The {name} is gone"\n}\n');
		writeFileSync(at('de.json'), '{\n  "a": "Öffnen"\n}\n');
		const summary = await own.client.sendRequest<{ files: object[] }>('workspace/executeCommand', {
			command: 'nearglot.server.translateMissing',
			arguments: [{ uri: pathToFileURL(at('en.json')).href, to: ['fr'] }],
		});
		assert.equal(summary.files.length, 2);
		const [edit] = own.edits;
		assert.equal(edit?.changeAnnotations?.['missing']?.needsConfirmation, true);
		const kinds = edit.documentChanges?.map((change) => ('kind' in change ? change.kind : 'edit'));
		assert.deepEqual(kinds, ['edit', 'create', 'edit']);
		const [german] = edit.documentChanges ?? [];
		const made = german && 'edits' in german && german.edits[0];
		assert.ok(made && 'newText' in made);
		assert.deepEqual(JSON.parse(made.newText), { a: 'Öffnen', b: '[de] The {name} is gone' });
	} finally {
		await own.close();
	}
});

test('arrays of Android get the order of their source by a command, and the record says so', async () => {
	const folder = temporaryFolder('android');
	const own = await startEditor();
	const at = (name: string) => join(folder, name);
	const list = (...items: readonly string[]) =>
		`<resources>\n  <string-array name="a">\n${items.map((item) => `    <item>${item}</item>\n`).join('')}  </string-array>\n</resources>\n`;
	const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 10);
	const pair = (from: string, made: string) => `${hash(from)} ${hash(made)}`;
	const [source, target] = ['values/strings.xml', 'values-de/strings.xml'];
	try {
		for (const path of ['.nearglot', 'values', 'values-de'])
			mkdirSync(at(path), { recursive: true });
		writeFileSync(at(source), list('Open it', 'Close it', 'Save it'));
		writeFileSync(at(target), list('Öffnen', 'Sichern'));
		const messages = { '/a/0': pair('Open it', 'Öffnen'), '/a/1': pair('Save it', 'Sichern') };
		writeFileSync(
			at('.nearglot/translations.json'),
			JSON.stringify({ version: 1, files: {}, messages: { [target]: messages } }),
		);
		await own.client.sendRequest('workspace/executeCommand', {
			command: 'nearglot.server.translateMissing',
			arguments: [{ uri: pathToFileURL(at(source)).href }],
		});
		const made = (own.edits.at(-1)?.documentChanges ?? []).map((change) =>
			'edits' in change && 'newText' in (change.edits[0] ?? {})
				? (change.edits[0] as { newText: string }).newText
				: '',
		);
		assert.equal(made[0], list('Öffnen', '[de] Close it', 'Sichern'));
		assert.deepEqual(JSON.parse(made[1] ?? '').messages[target], {
			'/a/0': messages['/a/0'],
			'/a/2': messages['/a/1'],
		});
	} finally {
		await own.close();
	}
});

test('reader mode looks at what is visible only, and shows marked text as it reads', async () => {
	const text = '// Close the window now.\nx();\n\n\n\n\n// Far below, out of sight.\n';
	const uri = await openNew('typescript', text);
	const asked = editor.daemon.asked.length;
	const ask = (document: string, languageId: string, last: number) =>
		editor.client.sendRequest<{ ranges: { range: object; text: string }[] }>(
			'nearglot/readerRanges',
			{
				uri: document,
				languageId,
				range: { start: { line: 0, character: 0 }, end: { line: last, character: 0 } },
				to: 'de',
			},
		);
	const { ranges } = await ask(uri, 'typescript', 3);
	assert.deepEqual(
		ranges.map(({ text }) => text),
		['[de] Close the window now.'],
	);
	const first = editor.daemon.asked.length;
	assert.ok(first > asked);
	await ask(uri, 'typescript', 3);
	assert.equal(editor.daemon.asked.length, first, 'what was said is remembered');
	const page = await openNew(
		'markdown',
		'# Title here\n\n```\nno prose here\n```\n\nSome **bold** words.\n',
		'page.md',
	);
	const marked = await ask(page, 'markdown', 7);
	assert.deepEqual(
		marked.ranges.map(({ text }) => text),
		['[de] Title here', '[de] Some **bold** words.'],
	);
});

test('settings are pulled for each document, and again when they change', async () => {
	let languages = ['de'];
	const own = await startEditor({
		capabilities: {
			workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true } },
		},
		configuration: (uri) => ({
			translate: {
				languages: uri?.endsWith('.py') ? ['fr'] : languages,
				hover: uri !== 'file:///q.ts',
			},
		}),
	});
	try {
		await until('settings are asked for', () =>
			own.registered.includes('workspace/didChangeConfiguration'),
		);
		for (const [uri, languageId] of [
			['file:///p.py', 'python'],
			['file:///p.ts', 'typescript'],
			['file:///q.ts', 'typescript'],
		] as const)
			await own.open(
				uri,
				languageId,
				languageId === 'python' ? '# Open the file.\n' : '// Open the file.\n',
			);
		const titles = async (uri: string) =>
			(await actions(own, uri, [0, 5])).map(({ title }) => title).join();
		assert.equal(await titles('file:///p.py'), 'Translate comment to French');
		assert.equal(await titles('file:///p.ts'), 'Translate comment to German');
		const hover = await own.client.sendRequest('textDocument/hover', {
			textDocument: { uri: 'file:///q.ts' },
			position: { line: 0, character: 5 },
		});
		assert.equal(hover, null, 'hovers are off for this document');
		languages = ['es'];
		await own.client.sendNotification('workspace/didChangeConfiguration', { settings: null });
		for (let attempt = 0; attempt < 100; attempt++)
			if ((await titles('file:///p.ts')) === 'Translate comment to Spanish') break;
		assert.equal(await titles('file:///p.ts'), 'Translate comment to Spanish');
	} finally {
		await own.close();
	}
});

test('a glossary of the workspace is followed, used, and its problems are shown', async () => {
	const folder = temporaryFolder('glossary');
	const root = `${pathToFileURL(folder).href}`;
	mkdirSync(join(folder, '.nearglot'));
	const file = join(folder, '.nearglot', 'glossary.tsv');
	writeFileSync(file, 'en\tde\nfile\tAkte\nfile\tDatei\nalone\n');
	const own = await startEditor({
		folders: [root],
		options: { translate: { languages: ['de'], targetLanguage: 'de' } },
		capabilities: { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } },
	});
	try {
		const uri = `${root}/a.ts`;
		const glossary = `${root}/.nearglot/glossary.tsv`;
		await until(
			'the glossary has diagnostics',
			() => (own.diagnostics.get(glossary)?.length ?? 0) > 0,
		);
		assert.ok(own.registered.includes('workspace/didChangeWatchedFiles'));
		assert.deepEqual(
			own.diagnostics.get(glossary)?.map(({ message, severity }) => [severity, message]),
			[
				[2, '“file” has another translation in line 2, which is the one that is used.'],
				[2, 'A term needs words in at least two languages, separated by tabs.'],
			],
		);
		await own.open(uri, 'typescript', '// Open the file now.\n');
		const [action] = await actions(own, uri, [0, 5]);
		const made = async () => {
			const { edit } = await own.client.sendRequest<Action>('codeAction/resolve', action);
			return edit?.changes[uri]?.[0]?.newText;
		};
		assert.match((await made()) ?? '', /translation="Akte">file</);
		writeFileSync(file, 'en\tde\nfile\tOrdner\n');
		await own.client.sendNotification('workspace/didChangeWatchedFiles', {
			changes: [{ uri: glossary, type: 2 }],
		});
		await until('the diagnostics are gone', () => own.diagnostics.get(glossary)?.length === 0);
		assert.match((await made()) ?? '', /translation="Ordner">file</);
		await own.client.sendRequest('workspace/executeCommand', {
			command: 'nearglot.server.addToGlossary',
			arguments: [{ uri, source: 'line', target: 'Zeile', from: 'en', to: 'de' }],
		});
		const [change] = own.edits.at(-1)?.documentChanges ?? [];
		const edit = change && 'edits' in change && change.edits[0];
		assert.ok(edit && 'newText' in edit);
		assert.equal(edit.newText, 'en\tde\nfile\tOrdner\nline\tZeile\n');
	} finally {
		await own.close();
	}
});

test('what takes long shows a progress that can be cancelled, and is over at once after that', async () => {
	const own = await startEditor({ capabilities: { window: { workDoneProgress: true } } });
	try {
		await own.open('file:///long.txt', 'plaintext', 'One two three.\n');
		const values: { kind: string; title?: string; cancellable?: boolean }[] = [];
		let token: string | number | undefined;
		own.client.onRequest('window/workDoneProgress/create', (params: { token: string }) => {
			token = params.token;
			return null;
		});
		own.client.onNotification('$/progress', ({ value }) => {
			values.push(value);
			if (value.kind === 'begin')
				void own.client.sendNotification('window/workDoneProgress/cancel', { token });
		});
		own.daemon.delayMs = 60_000;
		const running = own.client.sendRequest('workspace/executeCommand', {
			command: 'nearglot.server.translateDocument',
			arguments: [{ uri: 'file:///long.txt', to: 'de' }],
		});
		await assert.rejects(running, (error: Error & { code: number }) => error.code === -32800);
		await until('the work has ended', () => values.at(-1)?.kind === 'end');
		assert.equal(values[0]?.title, 'Translating into German');
		assert.equal(values[0]?.cancellable, true);
	} finally {
		await own.close();
	}
});

test('a long document is taken apart elsewhere, so that hovers are answered meanwhile', async () => {
	const rows = Array.from({ length: 4000 }, (_, at) => `  "k${at}": "The file ${at % 40} is gone"`);
	const source = `{\n${rows.join(',\n')}\n}\n`;
	let turns = 0;
	let isDone = false;
	const turn = () => {
		turns++;
		if (!isDone) setImmediate(turn);
	};
	setImmediate(turn);
	const made = await editor.client
		.sendRequest<{ text: string; pieces: number }>('nearglot/translateDocument', {
			fileName: 'en.json',
			languageId: 'json',
			text: source,
			to: 'de',
		})
		.finally(() => {
			isDone = true;
		});
	assert.equal(made.pieces, 4000);
	assert.match(made.text, /"k3999": "\[de\] The file 39 is gone"/);
	assert.ok(turns > 20, `${turns} turns`);
	const merged = await editor.client.sendRequest<{ text: string; added: object[] }>(
		'nearglot/translateMissing',
		{ fileName: 'en.json', source, target: '{}', to: 'de' },
	);
	assert.equal(merged.added.length, 4000);
	await assert.rejects(
		editor.client.sendRequest('nearglot/translateMissing', {
			fileName: 'en.json',
			source: `[${' '.repeat(30_000)}]`,
			target: '{}',
			to: 'de',
		}),
		/source file is no map of messages/,
	);
});

test('single messages are set by their keys, and what a program could not use is said', async () => {
	const set = await editor.client.sendRequest<object>('nearglot/setMessages', {
		...{ fileName: 'en.json', to: 'de', target: '{}' },
		source: '{"a": "The window", "b": "The {name} is gone"}',
		messages: [
			{ key: 'b', text: 'Fort' },
			{ key: 'c', text: 'Nichts' },
		],
	});
	assert.deepEqual(set, {
		text: '{\n  "b": "Fort"\n}',
		refused: ['c'],
		faults: [{ key: 'b', fault: '{name} is missing' }],
	});
});

test('a message whose source has changed is translated anew, and one that holds as it is is recorded', async () => {
	const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 10);
	const pair = (from: string, made: string) => `${hash(from)} ${hash(made)}`;
	const record = {
		...{ version: 1, files: {} },
		messages: {
			'de.json': { '/a': pair('The file', 'Die Datei'), '/b': pair('The window', 'Das Fenster') },
		},
	};
	const files = {
		...{ fileName: 'en.json', to: 'de' },
		source: '{"a": "The file is gone", "b": "The window", "c": "The tree"}',
		target: '{"a": "Die Datei", "b": "Das Fenster"}',
		recorded: { text: JSON.stringify(record), path: 'de.json' },
	};
	const { client } = editor;
	const { messages } = await client.sendRequest<{ messages: MessageRow[] }>(
		'nearglot/messageProgress',
		{ ...files, withMessages: true },
	);
	assert.deepEqual(
		messages.map(({ key, isStale }) => [key, isStale]),
		[
			['a', true],
			['b', undefined],
			['c', undefined],
		],
	);
	const made = await client.sendRequest<{ text: string }>('nearglot/translateMissing', files);
	assert.deepEqual(JSON.parse(made.text), {
		...{ a: '[de] The file is gone', b: 'Das Fenster', c: '[de] The tree' },
	});
	const set = (a: string) =>
		client.sendRequest<{ recorded?: string }>('nearglot/setMessages', {
			...files,
			messages: [
				{ key: 'a', text: a },
				{ key: 'b', text: 'Das Fenster' },
			],
		});
	assert.equal((await set('Die Datei ist fort')).recorded, undefined);
	const { recorded = '' } = await set('Die Datei');
	assert.deepEqual(JSON.parse(recorded).messages['de.json'], {
		...record.messages['de.json'],
		'/a': pair('The file is gone', 'Die Datei'),
	});
});

test('a Word file comes and goes as base64', async () => {
	const source = await wordFile('<w:p><w:r><w:t>The file is gone</w:t></w:r></w:p>');
	const { content, pieces } = await editor.client.sendRequest<{ content: string; pieces: number }>(
		'nearglot/translateFile',
		{ fileName: 'a.docx', content: Buffer.from(source).toString('base64'), to: 'de' },
	);
	assert.equal(pieces, 1);
	const parts = await textsOf(Buffer.from(content, 'base64'), 'a.docx');
	assert.match(bodyOf(parts.get('word/document.xml')), />\[de\] The file is gone</);
});
