/**
 * What kind of test a file holds, by what it reaches over its imports:
 * `process` whatever starts a process or a server that listens, `model` whatever opens ONNX Runtime,
 * `pure` neither. The name says it: `x.process.test.ts`, `x.model.test.ts`, `x.test.ts`.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

export const kinds = ['pure', 'model', 'process'];

/** The one door to ONNX Runtime. */
const nativeDoor = 'server/engine/runtime/nativePackages.ts';
const statements =
	/(?:^|\n)\s*(?:import|export)\s+(?!type\b)([^;'"]*?)\s*from\s+['"]([^'"]+)['"]|(?:^|\n)\s*import\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;
const threads = /new URL\(\s*['"](\.[^'"]+\.ts)['"],\s*import\.meta\.url\)/g;

/** Whether only types are taken by `{ type A, type B }`. */
const onlyTypes = (names) =>
	/^\{/.test(names) &&
	names
		.replace(/[{}]/g, '')
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '')
		.every((name) => name.startsWith('type '));

/** What a source takes from others when it runs: packages, and files as paths from the root. */
function takenBy(file, text) {
	const specifiers = [...text.matchAll(statements)]
		.filter(([, names]) => names === undefined || !onlyTypes(names))
		.map(([, , from, bare, dynamic]) => from ?? bare ?? dynamic);
	return [...specifiers, ...[...text.matchAll(threads)].map(([, url]) => url)].map((specifier) =>
		specifier.startsWith('.') ? posix.join(dirname(file), specifier) : specifier,
	);
}

/** @returns a function from a file, as a path from the root with `/`, to everything it reaches, itself included */
export function reacher(root) {
	const known = new Map();
	const look = (file) => {
		if (known.has(file)) return known.get(file);
		let text;
		try {
			if (/\.(ts|tsx|mjs)$/.test(file)) text = readFileSync(join(root, file), 'utf8');
		} catch {
			// A package, or a file that is written by a build.
		}
		const found =
			text === undefined
				? { taken: [], listens: false }
				: { taken: takenBy(file, text), listens: /\bcreateServer\(/.test(text) };
		known.set(file, found);
		return found;
	};
	return (file) => {
		const reached = new Map([[file, look(file)]]);
		for (const { taken } of reached.values())
			for (const next of taken) if (!reached.has(next)) reached.set(next, look(next));
		return reached;
	};
}

/** @returns the kind of a test file */
export function kindOf(file, reach) {
	const reached = reach(file);
	const starts = ['child_process', 'node:child_process', 'playwright-core'].some((name) =>
		reached.has(name),
	);
	if (starts || [...reached.values()].some(({ listens }) => listens)) return 'process';
	return reached.has(nativeDoor) ? 'model' : 'pure';
}

/** @returns the kind that a test file's name says */
export function namedKind(file) {
	return /\.(model|process)\.test\.ts$/.exec(file)?.[1] ?? 'pure';
}
