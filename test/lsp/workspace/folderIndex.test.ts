/** The index of a folder: what is in it, what is left out, and what questions find. */

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FolderIndex } from '../../../server/lsp/workspace/folderIndex.ts';
import { needsFileLinks } from '../../support/systemNeeds.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** A folder with files, and its index. */
async function indexOf(t: TestContext, files: Readonly<Record<string, string>>) {
	const base = temporaryFolder();
	const folder = join(base, 'project');
	const write = (path: string, text: string) => {
		const file = join(folder, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	};
	for (const [path, text] of Object.entries(files)) write(path, text);
	const progress: number[] = [];
	const open = () =>
		FolderIndex.open({
			folder,
			path: join(base, 'data', 'index.db'),
			onAside: (sentence) => assert.fail(sentence),
			onProgress: (_done, total) => progress.push(total),
		});
	const index = await open();
	t.after(() => {
		index.close();
		rmSync(base, { recursive: true, force: true });
	});
	const paths = async (question: string) =>
		(await index.search(question, undefined, 10)).map(({ path }) => path);
	return { index, folder, write, paths, open, progress };
}

const reader = `/** Opens a recording and reads its header. */
export function openRecording(path: string): Header {
	return readHeader(path);
}
`;

test('a question finds code by the parts of its names, its comments and its path', async (t) => {
	const { index, paths } = await indexOf(t, {
		'src/audio/openRecording.ts': reader,
		'src/text/splitLines.ts': 'export const splitLines = (text: string) => text.split("\\n");\n',
		'docs/setup.md': '# Installing\n\nUnpack the archive.\n\n# Proxy\n\nSet HTTP_PROXY.\n',
	});
	await index.synchronise();
	assert.equal(
		(await paths('Where is the header of recordings read?'))[0],
		'src/audio/openRecording.ts',
	);
	assert.equal((await paths('how are lines split'))[0], 'src/text/splitLines.ts');
	assert.equal((await paths('which proxy'))[0], 'docs/setup.md');
	assert.deepEqual(await paths('is it the'), []);
});

test('ignored, private, linked and binary files are not read', async (t) => {
	const { index, paths, folder } = await indexOf(t, {
		'.gitignore': 'build/\n*.log\n!keep.log\n',
		'build/out.ts': reader,
		'run.log': 'recording header',
		'keep.log': 'recording header',
		'sub/.gitignore': '/secret.ts\n',
		'sub/secret.ts': reader,
		'sub/deep/secret.ts': reader,
		'node_modules/a/index.js': reader,
		'.env': 'RECORDING=header',
		'binary.ts': `recording header \0`,
	});
	if (!needsFileLinks) symlinkSync(join(folder, 'build', 'out.ts'), join(folder, 'linked.ts'));
	await index.synchronise();
	assert.deepEqual((await paths('recording header')).sort(), ['keep.log', 'sub/deep/secret.ts']);
});

test('what was saved, made and removed is known after an update, and after a new start', async (t) => {
	const { index, write, paths, folder, open, progress } = await indexOf(t, {
		'a.ts': 'export function alpha() {}\n',
		'b/c.ts': 'export function gamma() {}\n',
	});
	await index.synchronise();
	write('a.ts', 'export function betaCarotene() {}\n');
	write('new.py', 'def delta():\n\treturn 1\n');
	rmSync(join(folder, 'b'), { recursive: true });
	const counts = await index.update(['a.ts', 'new.py', 'b']);
	assert.equal(counts.files, 2);
	assert.deepEqual(await paths('alpha'), []);
	assert.deepEqual(await paths('carotene'), ['a.ts']);
	assert.deepEqual(await paths('delta'), ['new.py']);
	assert.deepEqual(await paths('gamma'), []);
	write('.gitignore', '*.py\n');
	await index.update(['.gitignore']);
	assert.deepEqual(await paths('delta'), []);
	progress.length = 0;
	const again = await open();
	await again.synchronise();
	again.close();
	assert.deepEqual(progress, [0], 'nothing is read twice');
});

test('vectors find what shares no word, and belong to one model', async (t) => {
	const { index } = await indexOf(t, {
		'a.ts': 'export function alpha() {}\n',
		'b.ts': 'export function beta() {}\n',
	});
	await index.synchronise();
	const texts = await index.toEmbed('one', 10);
	assert.match(texts[0]?.text ?? '', /^a\.ts alpha\n/);
	const vectors = texts.map(({ id, text }) => ({
		id,
		vector: Float32Array.from(text.startsWith('a') ? [1, 0, 0] : [0, 0.5, 0.1]),
	}));
	assert.equal(index.embed(vectors).embedded, 2);
	assert.deepEqual(await index.toEmbed('one', 10), []);
	const [first] = await index.search('nothing of it', Float32Array.from([0, 1, 0]), 1);
	assert.deepEqual([first?.path, first?.by], ['b.ts', ['meaning']]);
	assert.equal((await index.toEmbed('another', 10)).length, 2);
});

test('large declarations are cut, small ones stay together, and every line is in one chunk', async (t) => {
	const body = Array.from({ length: 120 }, (_, line) => `\tvalue += ${line}; // step ${line}`);
	const text = `import a from 'a';\n\n/** Adds. */\nexport function addAll() {\n${body.join('\n')}\n}\n\nconst x = 1;\nexport class Small {\n\tgo() {}\n}\n`;
	const { index } = await indexOf(t, { 'long.ts': text });
	await index.synchronise();
	const chunks = await index.toEmbed('one', 100);
	assert.ok(chunks.length >= 3, String(chunks.length));
	const found = await index.search('addAll step Small value import', undefined, 50);
	assert.ok(found.every((piece) => piece.text.length < 2500));
	assert.ok(found.some((piece) => piece.symbols.includes('addAll')));
});
