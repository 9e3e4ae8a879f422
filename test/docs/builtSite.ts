/** The site of the documents, built without a network once for as long as its pages stay as they are, and its search. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	existsSync,
	globSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
// @ts-expect-error: what the site is configured with is plain JavaScript
import { searchOptions } from '../../docs/.vitepress/search.mjs';
import { root } from './blocks.ts';

/** Folder of the built sites, one for each state of the pages; only the present one stays. */
const sites = join(root, 'test/.work/site');

/** What a site is made of, as a name. */
function stateOfPages(): string {
	const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
	for (const name of globSync(['docs/**/*', 'docs/.vitepress/**/*'], { cwd: root }).sort()) {
		if (!/\.\w+$/.test(name)) continue;
		hash.update(`${name}\0`).update(readFileSync(join(root, name)));
	}
	return hash.digest('hex').slice(0, 16);
}

/** Folder of the site; a proxy that does not answer is all that its build finds of a network. */
export function builtSite(): string {
	const folder = join(sites, stateOfPages());
	if (existsSync(folder)) return folder;
	rmSync(sites, { recursive: true, force: true });
	const unfinished = join(sites, `unfinished-${process.pid}`);
	mkdirSync(unfinished, { recursive: true });
	const program = join(root, 'node_modules/vitepress/bin/vitepress.js');
	const built = spawnSync(process.execPath, [program, 'build', 'docs', '--outDir', unfinished], {
		cwd: root,
		encoding: 'utf8',
		env: { ...process.env, HTTPS_PROXY: 'http://127.0.0.1:9', HTTP_PROXY: 'http://127.0.0.1:9' },
	});
	assert.equal(built.status, 0, built.stdout + built.stderr);
	renameSync(unfinished, folder);
	return folder;
}

/** The part of MiniSearch, which VitePress brings along, that is used here. */
interface Index {
	search(words: string): readonly { readonly id: string }[];
}

/** Addresses of what the search of the site finds, best first, by the index and the weights that readers get. */
export async function siteSearch(folder: string): Promise<(words: string) => string[]> {
	const chunks = join(folder, 'assets/chunks');
	const name = readdirSync(chunks).find((each) => each.startsWith('@localSearchIndex'));
	assert.ok(name !== undefined, 'the site has an index');
	const { default: json } = (await import(pathToFileURL(join(chunks, name)).href)) as {
		default: string;
	};
	const MiniSearch = createRequire(join(root, 'node_modules/vitepress/package.json'))(
		'minisearch',
	) as { loadJSON(json: string, options: object): Index };
	// As VPLocalSearchBox of VitePress reads it.
	const index = MiniSearch.loadJSON(json, {
		fields: ['title', 'titles', 'text'],
		storeFields: ['title', 'titles'],
		searchOptions,
	});
	return (words) => index.search(words).map(({ id }) => id.replace(/\.html/, ''));
}
