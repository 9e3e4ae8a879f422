/** The licences that go along name what is in the bundles. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { compiledNotices, compiledParts, hasCompiledCode } from '../../scripts/compiledParts.mjs';
// @ts-expect-error: the scripts are plain JavaScript
import { thirdPartyNotices } from '../../scripts/notices.mjs';

const dist = join(import.meta.dirname, '../..', 'dist');
const notices = join(dist, 'ThirdPartyNotices.txt');
const skip = !existsSync(notices) && 'nothing is built';

/** Packages the source maps of the bundles name. */
function bundledPackages(): string[] {
	const maps = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
		file.endsWith('.map'),
	);
	const names = maps.flatMap((file) => {
		const { sources } = JSON.parse(readFileSync(join(dist, file), 'utf8')) as { sources: string[] };
		// Some packages bring maps of their own build, whose sources are not here.
		const here = sources.filter((source) => existsSync(join(dist, dirname(file), source)));
		return here.flatMap(
			(source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [],
		);
	});
	return [...new Set(names)];
}

test('every package in a bundle is named in the notices with the text of its licence', {
	skip,
}, () => {
	const parts = readFileSync(notices, 'utf8').split(`\n\n${'-'.repeat(80)}\n\n`);
	const packages = bundledPackages();
	assert.ok(packages.length > 50);
	for (const name of [
		...packages,
		'koffi',
		'onnxruntime-node',
		'kuromoji',
		'@mlc-ai/web-xgrammar',
	]) {
		const part = parts.find((text) => text.startsWith(`${name} `));
		assert.ok(part, name);
		assert.ok(part.length > 300, `${name}: ${part}`);
	}
	assert.ok(parts.some((text) => /^lid\.176\.ftz .*CC-BY-SA/.test(text)));
});

test('no package in a bundle asks more than to be named', { skip }, () => {
	const text = readFileSync(notices, 'utf8');
	const found = [...text.matchAll(/^[@a-z]\S* \d\S* .*\(([^()]+)\)$/gm)].map((match) => match[1]);
	assert.ok(found.length > 50);
	const free =
		/^(?:MIT|Apache-2\.0|BSD-[23]-Clause|ISC|MPL-2\.0|BlueOak-1\.0\.0|0BSD|CC0-1\.0|CC-BY-[\d.]+)$/;
	const others = found.filter(
		(each) => !(each ?? '').split(/ AND | OR /).every((one) => free.test(one)),
	);
	assert.deepEqual(others, []);
});

test('tools that only build and check are not named', { skip }, () => {
	const text = readFileSync(notices, 'utf8');
	for (const name of ['typescript', 'esbuild', 'playwright-core', 'mocha', '@types/node'])
		assert.ok(!text.includes(`\n\n${name} `), name);
});

test('a package of an organisation is found, and two files of one package are one notice', () => {
	const text: string = thirdPartyNotices([
		'node_modules/@preact/signals/dist/signals.mjs',
		'node_modules/hono/dist/index.js',
		'node_modules/hono/dist/hono.js',
		'server/main.ts',
	]);
	assert.equal(text.match(/^hono \d/gm)?.length, 1);
	assert.match(text, /^@preact\/signals \d.*\(MIT\)$/m);
	assert.doesNotMatch(text, /^server /m);
});

const modules = join(import.meta.dirname, '../..', 'node_modules');

test('every package with compiled code that is shipped says what is compiled into it', {
	skip,
}, () => {
	const shipped = [
		...bundledPackages(),
		...['koffi', 'onnxruntime-node', 'fasttext.wasm.js', 'vscode-oniguruma', 'web-tree-sitter'],
		...['@mlc-ai/web-xgrammar', '@vscode/tree-sitter-wasm'],
	];
	const compiled = shipped.filter((name) => hasCompiledCode(join(modules, name)));
	assert.ok(compiled.length >= 10, compiled.join(', '));
	for (const name of compiled) assert.ok(name in compiledParts, name);
});

test('a package with compiled code that nobody has looked into stops the build', () => {
	assert.throws(
		() => compiledNotices('new-codec', '1.0.0', join(modules, 'mpg123-decoder')),
		/new-codec holds compiled code: say in scripts\/compiledParts\.mjs/,
	);
	assert.deepEqual(compiledNotices('hono', '1.0.0', join(modules, 'hono')), []);
});

test('the library that decodes MP3 comes with its licence and the way to its source', () => {
	const text: string = thirdPartyNotices(['node_modules/mpg123-decoder/src/EmscriptenWasm.js']);
	assert.match(text, /^libmpg123 \(LGPL-2\.1-only\), compiled into mpg123-decoder \d/m);
	assert.match(text, /GNU LESSER GENERAL PUBLIC LICENSE/);
	assert.match(text, /END OF TERMS AND CONDITIONS/);
	assert.match(text, /https:\/\/www\.mpg123\.org\//);
	assert.match(text, /^Libraries inside ONNX Runtime .*compiled into onnxruntime-node/m);
	assert.match(text, /protobuf|Eigen/i);
});
