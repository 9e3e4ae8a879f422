/** Which test files a change reaches: the import graph of the sources, backwards. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';

const folders = ['server', 'extension', 'webview', 'test', 'scripts', 'bench'];
const source = /\.(ts|tsx|mjs)$/;
const specifiers = /(?:from|import|import\()\s*['"](\.[^'"]+)['"]/g;
const urls = /new URL\(\s*['"](\.[^'"]+)['"],\s*import\.meta\.url\)/g;

/** All sources below a folder, as paths from the root with `/`. */
export function sources(root) {
	return folders
		.flatMap((folder) =>
			readdirSync(join(root, folder), { recursive: true }).map((file) =>
				[folder, ...file.split(sep)].join('/'),
			),
		)
		.filter((file) => source.test(file) && !/(^|\/)(\.work|node_modules)\//.test(file));
}

/** @returns for each source the files that import it, start it or name it by a URL */
export function importers(root, files = sources(root)) {
	const found = new Map();
	for (const file of files) {
		const text = readFileSync(join(root, file), 'utf8');
		for (const [, specifier] of [...text.matchAll(specifiers), ...text.matchAll(urls)]) {
			const path = posix.join(dirname(file), specifier);
			if (!found.has(path)) found.set(path, new Set());
			found.get(path).add(file);
		}
	}
	return found;
}

export const isTest = (file) => file.endsWith('.test.ts') && !file.startsWith('test/e2e/');

/**
 * Test files that changed files reach, nearest first: what imports a file directly says more about it than
 * what starts the whole server.
 */
export function testsReached(graph, changed) {
	const seen = new Set(changed);
	const tests = [];
	for (const file of seen) {
		if (isTest(file)) tests.push(file);
		for (const importer of graph.get(file) ?? []) seen.add(importer);
	}
	return tests;
}
