/** Many files: what is done, what is not done twice, what is never written over. */

import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, beforeEach, test } from 'node:test';
import { checkFormats, checkReport } from '../../server/cli/checkReport.ts';
import type { CommandIo } from '../../server/cli/command.ts';
import { ProjectRecord } from '../../server/cli/projectRecord.ts';
import { TerminalWriter } from '../../server/cli/terminal.ts';
import { translateCheck } from '../../server/cli/translateCheck.ts';
import { translatePlanned } from '../../server/cli/translateFiles.ts';
import { TranslateProgress } from '../../server/cli/translateProgress.ts';
import { type PlanOptions, translationPlan } from '../../server/cli/translationPlan.ts';
import { AppError } from '../../server/protocol/index.ts';
import { needsFileLinks } from '../support/systemNeeds.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { textsOf, wordFile } from '../translate/documents/officeFiles.ts';

const start = process.cwd();
let folder = '';
beforeEach(async () => {
	folder = temporaryFolder('project');
	await mkdir(join(folder, '.git'));
	process.chdir(folder);
});
after(() => process.chdir(start));

const write = async (files: Record<string, string | Uint8Array>) => {
	for (const [path, text] of Object.entries(files)) {
		await mkdir(join(folder, path, '..'), { recursive: true });
		await writeFile(join(folder, path), text);
	}
};
const read = (path: string) => readFile(join(folder, path), 'utf8');

class Screen extends Writable {
	text = '';
	override _write(chunk: Buffer, _encoding: string, done: () => void): void {
		this.text += chunk.toString();
		done();
	}
}

interface Run extends Partial<PlanOptions> {
	readonly force?: boolean;
	readonly stop?: AbortController;
	readonly doubtful?: boolean;
	/** Told before each request; may throw. */
	readonly onAsk?: (texts: readonly string[]) => void;
}

/** Translates into capitals; names in angle brackets lose their placeholders. */
async function run({
	force = false,
	doubtful = false,
	stop = new AbortController(),
	onAsk,
	...plan
}: Run) {
	const [out, err] = [new Screen(), new Screen()];
	const io = {
		...{ stdout: new TerminalWriter(out), stderr: new TerminalWriter(err) },
		...{ stdin: process.stdin, env: {}, signal: stop.signal },
	} satisfies CommandIo;
	const asked: string[] = [];
	const record = await ProjectRecord.open('.');
	const options = { names: ['.'], targets: ['de'], from: 'en', ...plan };
	const { files } = await translationPlan(options, record, io.signal);
	try {
		const done = await translatePlanned(
			files,
			{
				...{ force, doubtful, into: plan.into !== undefined, quiet: false },
				translatorInto: (_to, onDone) => ({
					detect: async (texts) =>
						texts.map(() => ({ language: 'en', score: 1, isSupported: true, alternatives: [] })),
					translate: async (texts) => {
						onAsk?.(texts);
						asked.push(...texts);
						onDone(texts, {
							doubtful: texts.filter((text) => text.includes('doubt')).length,
							left: 0,
						});
						return texts.map((text) => {
							if (text.includes('lose')) return 'X';
							return text.includes('leave') ? text : text.toUpperCase();
						});
					},
				}),
			},
			record,
			io,
		);
		return { ...done, asked, err: err.text };
	} finally {
		await record.close();
	}
}

async function check(
	names: readonly string[],
	accepts = false,
	targets: readonly string[] = [],
	signal = new AbortController().signal,
) {
	const [out, err] = [new Screen(), new Screen()];
	const io = {
		...{ stdout: new TerminalWriter(out), stderr: new TerminalWriter(err) },
		...{ stdin: process.stdin, env: {}, signal },
	} satisfies CommandIo;
	const record = await ProjectRecord.open('.');
	const options = { names, targets, format: 'text', accepts } as const;
	return { code: await translateCheck(options, record, io), out: out.text, err: err.text };
}

test('files are translated once, and again when their source changes', async () => {
	await write({ 'docs/a.md': 'Open it.\n', 'docs/b.md': 'Save it.\n' });
	const first = await run({ names: ['docs'], targets: ['de', 'fr'] });
	assert.deepEqual([first.translated, first.current, first.failed], [4, 0, 0], first.err);
	assert.equal(await read('docs/a.fr.md'), 'OPEN IT.\n');
	const second = await run({ names: ['docs'], targets: ['de', 'fr'] });
	assert.deepEqual([second.translated, second.current, second.asked], [0, 4, []]);
	await write({ 'docs/a.md': 'Close it.\n' });
	assert.equal((await check(['docs'])).code, 1);
	const third = await run({ names: ['docs'] });
	assert.deepEqual([third.translated, third.asked], [1, ['Close it.']]);
	assert.match((await check(['docs'])).out, /^docs\/a\.fr\.md:1: stale: docs\/a\.md has changed/);
	await run({ names: ['docs'], targets: ['fr'] });
	assert.equal((await check(['.'])).code, 0);
});

test('what git on Windows makes of line ends is no change', async () => {
	await write({ 'docs/a.md': 'Open it.\n\nSave it.\n' });
	await run({ names: ['docs'], targets: ['de'] });
	const crlf = async (path: string) => (await read(path)).replaceAll('\n', '\r\n');
	await write({ 'docs/a.md': await crlf('docs/a.md'), 'docs/a.de.md': await crlf('docs/a.de.md') });
	assert.equal((await check(['docs'])).code, 0);
	const again = await run({ names: ['docs'], targets: ['de'] });
	assert.deepEqual([again.translated, again.current, again.asked], [0, 1, []]);
	await write({ 'docs/a.md': 'Open it.\r\n\r\nSend it.\r\n' });
	const changed = await run({ names: ['docs'], targets: ['de'] });
	assert.deepEqual([changed.translated, changed.asked], [1, ['Open it.', 'Send it.']]);
	assert.equal(await read('docs/a.de.md'), 'OPEN IT.\r\n\r\nSEND IT.\r\n');
});

test('Word files of a folder are translated, recorded and checked like texts', async () => {
	const paragraph = (text: string) =>
		`<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
	await write({ 'docs/a.docx': await wordFile(paragraph('Open it.')) });
	const first = await run({ names: ['docs'] });
	assert.deepEqual([first.translated, first.failed, first.asked], [1, 0, ['Open it.']], first.err);
	const parts = await textsOf(await readFile(join(folder, 'docs/a.de.docx')), 'a.de.docx');
	assert.match(parts.get('word/document.xml') ?? '', /OPEN IT\./);
	assert.deepEqual((await run({ names: ['docs'] })).asked, []);
	assert.equal((await check(['.'])).code, 0);
	await write({ 'docs/a.docx': await wordFile(paragraph('Close it.')) });
	assert.match((await check(['.'])).out, /^docs\/a\.de\.docx:1: stale: docs\/a\.docx has changed/);
	assert.deepEqual((await run({ names: ['docs'] })).asked, ['Close it.']);
	await write({ 'docs/a.docx': await wordFile(paragraph('Save it.')), 'docs/a.de.docx': 'mine' });
	assert.match((await run({ names: ['docs'] })).err, /changed by hand/);
	assert.equal(await read('docs/a.de.docx'), 'mine');
});

test('a run that is stopped keeps what is done, and the next one goes on from there', async () => {
	await write(
		Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`d/f${at}.md`, `Text number ${at}.`])),
	);
	const stop = new AbortController();
	let asked = 0;
	const onAsk = () => {
		if (++asked === 6) stop.abort();
		stop.signal.throwIfAborted();
	};
	await assert.rejects(run({ names: ['d'], stop, onAsk }));
	const { files } = JSON.parse(await read('.nearglot/translations.json')) as { files: object };
	const done = Object.keys(files).length;
	assert.ok(done > 0 && done < 9, `${done} done`);
	const next = await run({ names: ['d'] });
	assert.deepEqual([next.current, next.translated], [done, 9 - done]);
});

test('what somebody else made, or changed by hand, is not written over', async () => {
	await write({ 'a.md': 'Open it.', 'o/a.md': 'By hand' });
	const out = 'o/{name}{ext}';
	const refused = await run({ names: ['a.md'], out });
	assert.match(refused.err, /o\/a\.md exists already and was not made here; --force/);
	assert.equal(await read('o/a.md'), 'By hand');
	await run({ names: ['a.md'], out, force: true });
	await write({ 'o/a.md': 'Better', 'a.md': 'Open them.' });
	const edited = await run({ names: ['a.md'], out });
	assert.match(edited.err, /was changed by hand/);
	assert.deepEqual([edited.failed, await read('o/a.md')], [1, 'Better']);
	assert.equal((await check(['.'])).code, 0, 'whoever changed it has seen to it');
});

test('message files get what they lack and what has changed; the rest stays', async () => {
	await write({
		'l/en.json': '{"a": "One", "b": "Two", "c": "Three"}',
		'l/de.json': '{"a": "Eins"}',
		'l/fr.json': '{}',
	});
	const first = await run({ names: ['l/en.json'], targets: [], into: 'l' });
	assert.equal(first.failed, 0, first.err);
	assert.deepEqual(JSON.parse(await read('l/de.json')), { a: 'Eins', b: 'TWO', c: 'THREE' });
	assert.deepEqual(JSON.parse(await read('l/fr.json')), { a: 'ONE', b: 'TWO', c: 'THREE' });
	await write({ 'l/en.json': '{"a": "One", "b": "Both", "c": "Three"}' });
	assert.match((await check(['l'])).err, /2 stale/);
	const next = await run({ names: ['l/en.json'], targets: [], into: 'l' });
	assert.deepEqual(next.asked, ['Both', 'Both']);
	assert.deepEqual(JSON.parse(await read('l/de.json')), { a: 'Eins', b: 'BOTH', c: 'THREE' });
	assert.equal((await check(['l'])).code, 0);
	assert.deepEqual((await run({ names: ['l/en.json'], targets: [], into: 'l' })).asked, []);
});

test('a changed message that cannot be translated keeps its old translation, and stays stale', async () => {
	await write({
		'l/en.yml': 'a: One\nb: |\n  Two\nc: Three\n',
		'l/de.yml': 'a: Eins\nb: |\n  Zwei\nc: Drei\n',
	});
	await run({ names: ['l/en.yml'], targets: [], into: 'l' });
	await write({ 'l/en.yml': 'a: lose %{x}\nb: |\n  Both\nc: Three\n' });
	const { failed, incomplete, err } = await run({ names: ['l/en.yml'], targets: [], into: 'l' });
	assert.deepEqual([failed, incomplete], [0, 1], err);
	assert.match(await read('l/de.yml'), /^a: Eins\nb: "?BOTH(?:\\n)?"?\nc: Drei\n$/);
	assert.match((await check(['l'])).out, /l\/de\.yml:1: stale: a has changed/);
	assert.equal((await check(['l'], true)).code, 1, 'its placeholder is missing still');
});

test('a changed message that the model leaves as it is keeps its old translation, and stays stale', async () => {
	await write({
		'l/en.yml': 'a: One file of yours\nb: Two\n',
		'l/de.yml': 'a: Eine Datei von Ihnen\nb: Zwei\n',
	});
	await run({ names: ['l/en.yml'], targets: [], into: 'l' });
	await write({ 'l/en.yml': 'a: leave this file of yours as it is\nb: Both\n' });
	const { err } = await run({ names: ['l/en.yml'], targets: [], into: 'l' });
	assert.match(err, /1 renewed/);
	assert.match(err, /1 × left as it was: leave this file/);
	assert.match(await read('l/de.yml'), /^a: Eine Datei von Ihnen\nb: "?BOTH"?\n$/);
	assert.match((await check(['l'])).out, /l\/de\.yml:1: stale: a has changed/);
});

test('so does a short one, one with branches, and a list with a text that is refused', async () => {
	const source = (short: string, one: string, entry: string) =>
		JSON.stringify({
			a: short,
			b: `{n, plural, one {${one} of a folder} other {leave # files of a folder}}`,
			c: [entry, 'Shut it'],
		});
	const own = '{"a":"Alles","b":"{n, plural, one {# Datei} other {# Dateien}}","c":["Auf","Zu"]}';
	await write({ 'l/en.json': source('Save', '# file', 'Open'), 'l/de.json': own });
	await run({ names: ['l/en.json'], targets: [], into: 'l' });
	assert.equal(await read('l/de.json'), own);
	await write({ 'l/en.json': source('leave it', 'leave # file', 'lose {name}') });
	await run({ names: ['l/en.json'], targets: [], into: 'l' });
	assert.equal(await read('l/de.json'), own);
	const { out } = await check(['l']);
	for (const key of ['a', 'b', 'c']) assert.match(out, new RegExp(`stale: ${key} has changed`));
});

test('plurals and arrays of Android of which an item is refused stay as they are', async () => {
	const file = (one: string, other: string) =>
		`<resources><plurals name="p"><item quantity="one">${one}</item><item quantity="other">${other}</item></plurals><string-array name="a"><item>${one}</item><item>${other}</item></string-array></resources>\n`;
	await write({
		'res/values/strings.xml': file('%d file here', '%d files here'),
		'res/values-de/strings.xml': file('%d Datei', '%d Dateien'),
	});
	const plan = { names: ['res/values/strings.xml'], targets: ['de'], into: 'res' };
	await run(plan);
	await write({ 'res/values/strings.xml': file('%d file there', 'lose %d files there') });
	const { failed, err } = await run(plan);
	assert.equal(failed, 1, err);
	assert.equal(await read('res/values-de/strings.xml'), file('%d Datei', '%d Dateien'));
});

test('a list of which a text has changed is a list again', async () => {
	for (const [name, before, after, old] of [
		[
			'en.json',
			'{"a":["Open now","Shut it"]}',
			'{"a":["Open right now","Shut it"]}',
			'{"a":["Auf","Zu"]}',
		],
		[
			'en.yml',
			'a:\n  - Open now\n  - Shut it\nb: One\n',
			'a:\n  - Open right now\n  - Shut it\nb: One\n',
			'a:\n  - Auf\n  - Zu\nb: Eins\n',
		],
	] as const) {
		const target = name.replace('en', 'de');
		await write({ [`m/${name}`]: before, [`m/${target}`]: old });
		await run({ names: [`m/${name}`], targets: ['de'], into: 'm' });
		await write({ [`m/${name}`]: after });
		const { failed, err } = await run({ names: [`m/${name}`], targets: ['de'], into: 'm' });
		assert.equal(failed, 0, err);
		assert.match(await read(`m/${target}`), /\[\s*"OPEN RIGHT NOW",\s*"SHUT IT"\s*\]/);
		if (name === 'en.yml') assert.match(await read(`m/${target}`), /\nb: "?Eins"?\n$/);
	}
	assert.equal((await check(['m'])).code, 0);
});

test('--accept takes what is there for up to date', async () => {
	await write({ 'l/en.json': '{"a": "One"}', 'l/de.json': '{"a": "Eins"}' });
	assert.match((await check(['l'])).err, /cannot be told yet/);
	await check(['l'], true);
	await write({ 'l/en.json': '{"a": "Uno"}' });
	assert.match((await check(['l'])).out, /stale: a has changed to 'Uno'/);
	assert.equal((await check(['l'], true)).code, 0);
	assert.equal((await check(['l'])).code, 0);
});

test('links out of the project are not written through', { skip: needsFileLinks }, async () => {
	const outside = temporaryFolder('outside');
	await writeFile(join(outside, 'x'), 'mine');
	await write({ 'a.md': 'Open it.', 'd/b.md': 'Save it.' });
	await symlink(join(outside, 'x'), join(folder, 'a.de.md'));
	await symlink(outside, join(folder, 'o'), 'junction');
	const { failed, err } = await run({ names: ['a.md'], force: true });
	assert.equal(failed, 1);
	assert.match(err, /a link there leads out/);
	assert.equal((await run({ names: ['d'], out: 'o/n/{name}', force: true })).failed, 1);
	assert.equal(await readFile(join(outside, 'x'), 'utf8'), 'mine');
});

test('files that fail do not hold up the others, and one reason is given once', async () => {
	await write({
		...{ 'd/a.json': '{"a":', 'd/b.md': 'Open it.', 'd/z.txt': Uint8Array.of(0, 255, 7) },
		'd/caf.txt': Uint8Array.from(Buffer.from('The caf\xe9 is open.', 'latin1')),
	});
	const { translated, failed, err } = await run({ names: ['d'] });
	assert.deepEqual([translated, failed], [2, 2], err);
	assert.match(err, /d\/a\.json: a\.json is damaged at line 1/);
	assert.match(err, /d\/z\.txt is not in UTF-8/);
	const bytes = await readFile(join(folder, 'd/caf.de.txt'));
	assert.equal(bytes.toString('latin1'), 'THE CAF\xc9 IS OPEN.');
	const same = () => {
		throw new AppError('overloaded', 'Nobody answers.');
	};
	await write({ 'e/a.md': 'One word.', 'e/b.md': 'Two words.', 'e/c.md': 'Three words.' });
	const lost = await run({ names: ['e'], onAsk: same });
	assert.equal(lost.failed, 3);
	assert.match(lost.err, /e\/[abc]\.md: Nobody answers\./);
	assert.equal(lost.err.match(/Nobody answers/g)?.length, 2, lost.err);
	assert.match(lost.err, /3 × Nobody answers/);
});

test('findings are written for people, programs, SARIF and GitHub', () => {
	const finding = {
		...{ path: 'l/d e.json', line: 3, target: 'l/d e.json', to: 'de', key: 'a' },
		kind: 'stale',
		message: "100% of, 'a':\nb",
	} as const;
	const made = Object.fromEntries(
		checkFormats.map((format) => [format, checkReport(format, [finding], 1)]),
	);
	assert.equal(made['text'], "l/d e.json:3: stale: 100% of, 'a':\nb\n");
	assert.equal(
		made['github'],
		"::error file=l/d e.json,line=3,title=Translation stale::100%25 of, 'a':%0Ab\n",
	);
	assert.deepEqual(JSON.parse(made['json'] ?? ''), { checked: 1, findings: [finding] });
	const { runs } = JSON.parse(made['sarif'] ?? '') as {
		runs: [{ tool: { driver: { rules: { id: string }[] } }; results: Record<string, unknown>[] }];
	};
	const [result] = runs[0].results;
	assert.ok(runs[0].tool.driver.rules.some(({ id }) => id === result?.['ruleId']));
	assert.deepEqual(result?.['locations'], [
		{ physicalLocation: { artifactLocation: { uri: 'l/d%20e.json' }, region: { startLine: 3 } } },
	]);
});

test('progress tells files, words, rate and the time that is left', () => {
	let now = 0;
	const screen = Object.assign(new Screen(), { isTTY: true, columns: 100 });
	const progress = new TranslateProgress(
		new TerminalWriter(screen),
		{ files: 4, bytes: 400 },
		() => now,
	);
	now = 10_000;
	progress.add(['x'.repeat(49), 'two words 打开']);
	assert.equal(progress.line, '0 of 4 files  5 words  1 words/s  30 s left');
	progress.finish(100, 'a is done');
	assert.match(progress.line, /^1 of 4 files {2}5 words {2}1 words\/s {2}30 s left$/);
	assert.match(screen.text, /\r\u001b\[Ka is done\n/);
	assert.equal(progress.end(), '5 words in 10 s (1 a second)');
});

test('what the model is not sure of is counted', async () => {
	await write({ 'a.md': 'No doubt about it.\n\nOpen the file.\n' });
	const { err } = await run({ names: ['a.md'] });
	assert.match(err, /^a\.de\.md: 2 of 2 texts translated, 1 doubtful\n/);
});

test('files that fail alike are all named', async () => {
	const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.toml`, 'a = [\n']));
	await write(files);
	const { failed, err } = await run({});
	assert.equal(failed, 3, err);
	for (const path of Object.keys(files))
		assert.match(err, new RegExp(path.replace('.', '\\.')), err);
});

test('files of Qt are found in a folder by what they hold; arrays that may be settings are named as skipped', async () => {
	const messages = '<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS version="2.1"></TS>\n';
	await write({ 'app/app_en.ts': messages, 'app/main.ts': 'export const a = 1;\n' });
	await write({
		'app/config.php': "<?php return ['a' => 'Open it'];\n",
		'app/run.php': '<?php run();\n',
	});
	await write({ 'app/lang/en/app.php': "<?php return ['a' => 'Open it'];\n" });
	const record = await ProjectRecord.open('.');
	const options = { names: ['app'], targets: ['de'] };
	const plan = await translationPlan(options, record, new AbortController().signal);
	await record.close();
	assert.deepEqual(
		plan.files.map(({ source }) => source),
		['app/app_en.ts', 'app/lang/en/app.php'],
	);
	assert.deepEqual(plan.skipped, ['app/config.php']);
});

test('a document that was never translated into a language that is asked for is missing', async () => {
	await write({ 'docs/a.md': 'Open it.\n' });
	const found = await check(['docs'], false, ['de']);
	assert.equal(found.code, 1);
	assert.match(found.out, /^docs\/a\.md:1: missing: docs\/a\.de\.md is not there/);
});

test('of several files of messages the one that is damaged is named, whichever it is', async () => {
	await write({
		'l/en.json': '{"a": "Open it", "b": "Save it"}',
		'l/de.json': '{"a": "AUF"}',
		'l/fr.json': '{"a": "OUVRIR",\n "b"',
		'l/es.json': '["a"]',
	});
	const { translated, failed, err } = await run({ names: ['l/en.json'], into: 'l', targets: [] });
	assert.deepEqual([translated, failed], [1, 2], err);
	assert.match(err, /^l\/fr\.json is damaged at line 2, column \d+: a colon is missing\./m);
	assert.match(err, /^l\/es\.json is no map of messages\./m);
	assert.doesNotMatch(err, /en\.json/);
	// A check tells of all files, whichever of them cannot be read.
	await write({ 'l/de.json': '{"a": "AUF"}' });
	const checked = await check(['l']);
	assert.equal(checked.code, 1);
	assert.match(checked.out, /^l\/fr\.json:2: damaged: l\/fr\.json is damaged at line 2/m);
	assert.match(checked.out, /^l\/es\.json:1: damaged: l\/es\.json is no map of messages\./m);
	assert.match(checked.out, /^l\/en\.json:1: missing: b 'Save it' has no translation/m);
	assert.match(checked.err, /3 translations checked: 1 missing, 2 damaged\./);
	await write({ 'l/en.json': '{"a"' });
	const ofSource = await check(['l']);
	assert.equal(ofSource.out.match(/damaged: /g)?.length, 1, ofSource.out);
	assert.match(ofSource.out, /^l\/en\.json:1: damaged: /);
});

test('where nothing can be written, nothing is translated', async () => {
	await write({ 'docs/a.md': 'Open it.\n', 'docs/b.md': 'Save it.\n', blocked: 'x' });
	const { failed, asked, err } = await run({ names: ['docs'], out: 'blocked/{name}{ext}' });
	assert.deepEqual([failed, asked], [2, []]);
	assert.match(err, /^blocked\/a\.md cannot be written: .*blocked is no folder\.$/m);
});

test('a file that holds all its languages gets them, one after the other, and is checked', async () => {
	const catalogue = {
		sourceLanguage: 'en',
		strings: {
			open: { localizations: { en: { stringUnit: { state: 'translated', value: 'Open it' } } } },
			'Save it': {},
		},
		version: '1.0',
	};
	await write({ 'App/Main.xcstrings': JSON.stringify(catalogue, null, 2) });
	const first = await run({ names: ['App'], targets: ['de', 'fr', 'es'] });
	assert.deepEqual([first.translated, first.failed], [3, 0], first.err);
	const { strings } = JSON.parse(await read('App/Main.xcstrings'));
	for (const to of ['de', 'fr', 'es'])
		assert.deepEqual(strings.open.localizations[to], {
			stringUnit: { state: 'needs_review', value: 'OPEN IT' },
		});
	assert.equal((await run({ names: ['App'], targets: ['de', 'fr', 'es'] })).current, 3);
	assert.equal((await check(['App'])).code, 0);
	strings['Close it'] = {};
	await write({ 'App/Main.xcstrings': JSON.stringify({ ...catalogue, strings }, null, 2) });
	const found = await check(['App']);
	assert.match(found.out, /Main\.xcstrings:\d+: missing: 'Close it' has no translation \(de\)/);
	assert.equal(found.code, 1);
	const second = await run({ names: ['App'], targets: ['de'] });
	assert.deepEqual(second.asked, ['Close it']);
});

test('a check tells of every file that holds all its languages and cannot be read, and of the others', async () => {
	const strings = { a: { localizations: { de: { stringUnit: { value: 'Auf' } } } }, 'Save it': {} };
	const whole = JSON.stringify({ sourceLanguage: 'en', strings, version: '1.0' }, null, 2);
	await write({
		'l/en.json': '{"a": "Open it"}',
		'l/de.json': '{}',
		'App/cut.xcstrings': whole.slice(0, whole.indexOf('"Save it"')),
		'App/deep.xcstrings': `{"strings": ${'['.repeat(200_000)}`,
		'App/large.xcstrings': ' '.repeat(20 * 2 ** 20 + 1),
		'App/odd.xcstrings': Uint8Array.of(0, 255, 7),
		'App/whole.xcstrings': whole,
	});
	const { code, out, err } = await check(['.']);
	assert.equal(code, 1);
	for (const line of [
		/^App\/cut\.xcstrings:\d+: damaged: App\/cut\.xcstrings is damaged at line \d+, column \d+: /m,
		/^App\/deep\.xcstrings:1: damaged: App\/deep\.xcstrings: The text is nested too deeply/m,
		/^App\/large\.xcstrings:1: damaged: App\/large\.xcstrings is larger than 20 MiB\.$/m,
		/^App\/odd\.xcstrings:1: damaged: App\/odd\.xcstrings is not in UTF-8/m,
		/^App\/whole\.xcstrings:13: missing: 'Save it' has no translation \(de\)$/m,
		/^l\/en\.json:1: missing: a 'Open it'/m,
	])
		assert.match(out, line);
	assert.match(err, /^6 translations checked: 2 missing, 4 damaged\.$/m);
	const ofOne = await check(['App'], false, ['de', 'fr']);
	assert.equal(ofOne.out.match(/cut\.xcstrings:\d+: damaged: /g)?.length, 1, ofOne.out);
	assert.equal(ofOne.out.match(/: damaged: /g)?.length, 4, ofOne.out);
	const made = await run({ names: ['App/cut.xcstrings'], targets: ['de'] });
	assert.deepEqual([made.failed, made.current], [1, 0], made.err);
	assert.match(made.err, /^App\/cut\.xcstrings is damaged at line /m);
});

test('a check that is stopped ends as stopped, whenever that is', async () => {
	await write({ 'App/a.xcstrings': '{"strings": {"Save it": {}}}' });
	for (let wanted = 1, looks = 0; looks === wanted - 1; wanted++) {
		const stop = new AbortController();
		looks = 0;
		stop.signal.throwIfAborted = () => {
			if (++looks === wanted) stop.abort();
			AbortSignal.prototype.throwIfAborted.call(stop.signal);
		};
		const checked = check(['App'], false, [], stop.signal);
		await assert.rejects(checked, (error: Error) =>
			looks >= wanted
				? error.name === 'AbortError'
				: /no translations to check/.test(error.message),
		);
	}
});

test('texts that were left are asked for again with doubtful ones, once, and not over the work of a person', async () => {
	await mkdir('left');
	await writeFile('left/a.md', 'Please leave this here.\n\nOther words.\n');
	const once = async (doubtful: boolean) =>
		(await run({ names: ['left'], doubtful })).asked.length > 0;
	assert.deepEqual([await once(false), await once(false)], [true, false]);
	assert.deepEqual([await once(true), await once(true)], [true, false]);
	await writeFile('left/b.md', 'Please leave this here, too.\n\nOther words.\n');
	assert.equal(await once(false), true);
	await writeFile('left/b.de.md', 'Von Hand.\n');
	assert.equal(await once(true), false);
});
