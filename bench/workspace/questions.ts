/**
 * Questions over this repository: what the first comment of a source file says of it. The copy that is searched does
 * not have those comments, so nobody finds an answer by its own words.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Question {
	readonly text: string;
	/** The file that answers it. */
	readonly path: string;
}

/** Copies what git tracks into `folder`, without the comments that became questions. */
export function copyRepository(root: string, folder: string, count: number): Question[] {
	const tracked = execFileSync('git', ['-C', root, 'ls-files', '-z'], { maxBuffer: 1 << 26 })
		.toString()
		.split('\0')
		.filter((path) => /\.(?:ts|tsx|mjs|cjs|js|md|json|css|sh|py|c)$/.test(path));
	const all: (Question & { readonly rest: string })[] = [];
	for (const path of tracked) {
		const text = readFileSync(join(root, path), 'utf8');
		const header = /^\/\*\*([\s\S]*?)\*\/\n/.exec(text);
		if (!header || !/^(?:server|extension|webview)\/.*\.tsx?$/.test(path)) continue;
		const words = (header[1] ?? '')
			.replace(/\n\s*\*/g, ' ')
			.replace(/\s+/g, ' ')
			.trim();
		if (words.split(' ').length < 6) continue;
		all.push({ path, text: words, rest: text.slice(header[0].length) });
	}
	const order = (path: string) => createHash('sha256').update(path).digest('hex');
	const chosen = all.sort((a, b) => (order(a.path) < order(b.path) ? -1 : 1)).slice(0, count);
	const shortened = new Map(chosen.map(({ path, rest }) => [path, rest]));
	for (const path of tracked) {
		const target = join(folder, path);
		mkdirSync(dirname(target), { recursive: true });
		writeFileSync(target, shortened.get(path) ?? readFileSync(join(root, path)));
	}
	return chosen;
}
