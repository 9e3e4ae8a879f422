/** Reads the sources as the tests of the architecture see them. */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A source file: path from the root of the repository, with slashes. */
export interface Source {
	readonly path: string;
	readonly text: string;
	readonly lines: number;
}

/** The sources in a folder, without what is generated. */
export function sources(folder: string, kind = /\.(ts|tsx)$/): Source[] {
	return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter(
			(file) => kind.test(file) && !/\.generated\.|node_modules|(^|[/\\])\.work[/\\]/.test(file),
		)
		.map((file) => {
			const text = readFileSync(join(root, folder, file), 'utf8');
			return {
				path: [folder, ...file.split(sep)].join('/'),
				text,
				lines: text.split('\n').length - 1,
			};
		});
}

/** What a file imports, types included: specifiers as they are written. */
export function imports(source: Source): string[] {
	const found = source.text.matchAll(
		/(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g,
	);
	return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

/** The file that a specifier names; `undefined` for packages. */
export function target(source: Source, specifier: string): string | undefined {
	if (!specifier.startsWith('.')) return undefined;
	return relative(root, resolve(root, dirname(source.path), specifier))
		.split(sep)
		.join('/');
}
