/** Imports never lead back to where they began. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imports, type Source, sources, target } from './sources.ts';

/** Files that import each other, in the order of their imports; each cycle once. */
function cyclesOf(files: readonly Source[]): string[] {
	const graph = new Map(
		files.map((source) => [
			source.path,
			imports(source).flatMap((specifier) => target(source, specifier) ?? []),
		]),
	);
	const finished = new Set<string>();
	const cycles: string[] = [];
	const visit = (path: string, open: readonly string[]): void => {
		const start = open.indexOf(path);
		if (start >= 0) cycles.push([...open.slice(start), path].join(' → '));
		if (start >= 0 || finished.has(path)) return;
		for (const next of graph.get(path) ?? []) visit(next, [...open, path]);
		finished.add(path);
	};
	for (const path of graph.keys()) visit(path, []);
	return cycles;
}

test('no files import each other in a circle, not even for types', () => {
	const files = ['server', 'extension', 'webview', 'bench', 'scripts', 'test'].flatMap((folder) =>
		sources(folder, /\.(ts|tsx|mjs)$/),
	);
	assert.ok(files.length > 1000, `${files.length} files`);
	assert.deepEqual(cyclesOf(files), []);
});

test('a circle is found whatever it is made of', () => {
	const file = (path: string, text: string): Source => ({ path, text, lines: 1 });
	assert.deepEqual(
		cyclesOf([
			file('a/one.ts', "import type { Two } from './two.ts';"),
			file('a/two.ts', "export { three } from '../b/three.ts';"),
			file('b/three.ts', "const one = await import('../a/one.ts');"),
			file('b/four.ts', "import './three.ts';"),
		]),
		['a/one.ts → a/two.ts → b/three.ts → a/one.ts'],
	);
});
