/** Sources as syntax trees, for rules over all of them. */

import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { parse } from 'acorn';

/** A node of a syntax tree, its parts under whatever names the grammar has for them. */
export interface Node {
	readonly type: string;
	readonly start: number;
	readonly end: number;
	readonly [part: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
	typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

export function* childrenOf(node: Node): Generator<Node> {
	for (const part of Object.values(node))
		for (const each of Array.isArray(part) ? part : [part]) if (isNode(each)) yield each;
}

export function* nodesOf(node: Node): Generator<Node> {
	yield node;
	for (const child of childrenOf(node)) yield* nodesOf(child);
}

/** A source without its types, as a tree and as the code that the tree's places are of. */
export function treeOf(source: string): { readonly tree: Node; readonly code: string } {
	const code = stripTypeScriptTypes(source);
	const tree = parse(code, { ecmaVersion: 'latest', sourceType: 'module' }) as unknown as Node;
	return { tree, code };
}

const root = join(import.meta.dirname, '../..');

/** TypeScript files of folders of the project, with `/` in their paths. */
export function* sourcesOf(
	...folders: readonly string[]
): Generator<{ readonly path: string; readonly text: string }> {
	for (const folder of folders)
		for (const name of globSync('**/*.ts', { cwd: join(root, folder) })) {
			if (name.includes('node_modules') || name.endsWith('.d.ts')) continue;
			const path = `${folder}/${name.replaceAll('\\', '/')}`;
			yield { path, text: readFileSync(join(root, path), 'utf8') };
		}
}
