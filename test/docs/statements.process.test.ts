/** What the documents name is there: options, commands, settings, variables, models, routes, pages, places in pages. */

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { before, test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { pages } from '../../scripts/reference.mjs';
import { errorKinds } from '../../server/protocol/errors.ts';
import { documentAddress, productSite } from '../../server/protocol/published.ts';
import { daemonMetricNames } from '../../server/services/daemonMetrics.ts';
import { documents, readDocument, root } from './blocks.ts';

const json = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));

/** Generated pages by name. */
const made = new Map<string, string>();
before(() => {
	for (const [name, write] of Object.entries(pages as Record<string, () => string>))
		made.set(name, write());
});

test('the pages of docs/reference are what the program says', () => {
	for (const [name, text] of made)
		assert.equal(
			readDocument(`docs/reference/${name}`),
			text,
			`docs/reference/${name}: run node scripts/reference.mjs`,
		);
});

/** Help of each command, by its name. */
function helpTexts(): Map<string, string> {
	const sections = (made.get('command-line.md') ?? '').split(/^## nearglot /m).slice(1);
	return new Map(sections.map((text) => [/^\w+/.exec(text)?.[0] ?? '', text]));
}

/** Uses of the command line in a text: its words up to what ends a command. */
const uses = (text: string) =>
	[...text.matchAll(/(?<![-\w./@]|npm view )nearglot ([a-z]+)\b([^`\n|;&)]*)/g)].map(
		([, name = '', rest = '']) => ({
			name,
			options: [...rest.matchAll(/(?<![\w-])--([a-z][\w-]*)/g)].map(([, option = '']) => option),
		}),
	);

/** Code of a document: spans, and whole blocks with their continued lines joined. */
function codeOf(text: string): string[] {
	const blocks = [...text.matchAll(/^[ \t]*```[^\n]*\n(.*?)^[ \t]*```/gms)].map(
		([, code = '']) => code,
	);
	const outside = text.replaceAll(/^[ \t]*```[^\n]*\n.*?^[ \t]*```/gms, '');
	const indented = [...outside.matchAll(/^ {4}(nearglot .*)$/gm)].map(([, code = '']) => code);
	const spans = [...outside.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
	return [...blocks.map((code) => code.replaceAll(/\\\n\s*/g, ' ')), ...indented, ...spans];
}

function unknownOptions(text: string): string[] {
	const help = helpTexts();
	return codeOf(text)
		.flatMap(uses)
		.flatMap(({ name, options }) => {
			const known = help.get(name);
			if (known === undefined) return [`nearglot ${name}`];
			return options
				.filter((option) => !new RegExp(`--${option}(?![\\w-])`).test(`${known} --help`))
				.map((option) => `nearglot ${name} --${option}`);
		});
}

test('commands and options in the documents are those of the command line, and others are found', () => {
	assert.deepEqual(unknownOptions('`nearglot chat --nothing` and `nearglot dance`'), [
		'nearglot chat --nothing',
		'nearglot dance',
	]);
	for (const name of documents) assert.deepEqual(unknownOptions(readDocument(name)), [], name);
});

test('every option of the command line is documented', () => {
	// The generated page has them all; it is made of the help texts, which are held against the parser here.
	const source = globSync('server/cli/*Command.ts', { cwd: root }).map((name) =>
		readFileSync(join(root, name), 'utf8'),
	);
	const help = [...helpTexts().values()].join('\n');
	const declared = source.flatMap((text) =>
		[...text.matchAll(/^\t+'?([a-z][\w-]*)'?: \{ type: '(?:string|boolean)'/gm)].map(
			([, name = '']) => name,
		),
	);
	assert.ok(declared.length > 60, `${declared.length} options were found`);
	const hidden = declared.filter((name) => !new RegExp(`--${name}(?![\\w-])`).test(help));
	// With these the product starts its own server.
	const internal = ['background', 'idle-end'];
	assert.deepEqual(
		[...new Set(hidden)].filter((name) => !internal.includes(name)),
		[],
	);
});

const settings = new Set(
	[json('package.json').contributes.configuration]
		.flat()
		.flatMap((section) => Object.keys(section.properties)),
);
const commands = new Set<string>(
	json('package.json').contributes.commands.map(({ command }: { command: string }) => command),
);

test('settings in the documents exist', () => {
	for (const name of documents) {
		const named = [...readDocument(name).matchAll(/`(nearglot\.[a-z]+\.[a-zA-Z.]+)`/g)].map(
			([, key = '']) => key,
		);
		const missing = named.filter(
			(key) => !settings.has(key) && !commands.has(key) && !key.startsWith('nearglot.server.'),
		);
		assert.deepEqual(missing, [], name);
	}
});

/** Names of variables in sources that a user's program reads. */
function variablesRead(): Set<string> {
	const files = globSync(['server/**/*.ts', 'bin/*.cjs'], { cwd: root });
	const name = /\b(?:NEARGLOT|HF|OTEL|WEBSITE)_[A-Z_]*[A-Z]\b/g;
	return new Set(files.flatMap((file) => readFileSync(join(root, file), 'utf8').match(name) ?? []));
}

test('every environment variable that is read is documented, and no other', () => {
	const page = readDocument('docs/reference/environment.md');
	const documented = new Set(page.match(/\b(?:NEARGLOT|HF|OTEL|WEBSITE)_[A-Z_]*[A-Z]\b/g));
	const read = variablesRead();
	const internal = ['NEARGLOT_FALLBACK'];
	assert.deepEqual(
		[...read].filter((name) => !documented.has(name) && !internal.includes(name)).sort(),
		[],
		'read, not documented',
	);
	assert.deepEqual(
		[...documented].filter((name) => !read.has(name)).sort(),
		[],
		'documented, not read',
	);
});

test('models that the documents tell to pull are in the catalogue', () => {
	const { models } = json('server/hub/catalogue.json') as { models: { alias: string }[] };
	const known = new Set(models.map(({ alias }) => alias));
	const advised = [...documents, 'SECURITY.md'].flatMap((name) =>
		[...readDocument(name).matchAll(/models pull ([a-z][\w.-]*[\w])(?![/\w:.-])/g)].map(
			([, model = '']) => model,
		),
	);
	assert.ok(advised.length > 5);
	assert.deepEqual(
		advised.filter((model) => !known.has(model)),
		[],
	);
});

test('codes of errors in the documents exist', () => {
	const page = readDocument('docs/help/troubleshooting.md');
	const named = [...page.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, code = '']) => code);
	assert.ok(named.length > 6);
	assert.deepEqual(
		named.filter((code) => !(code in errorKinds)),
		[],
	);
});

test('every number of /metrics is listed', () => {
	const page = readDocument('docs/operate/run.md');
	assert.deepEqual(
		[...daemonMetricNames].filter((name) => !page.includes(`| \`${name}\` |`)),
		[],
	);
});

/** Anchors of the headings of a page, as GitHub makes them. */
const anchors = (text: string) =>
	new Set(
		[...text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
			title
				.toLowerCase()
				.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
				.trim()
				.replaceAll(/\s/g, '-'),
		),
	);

test('links between the documents lead somewhere, also to places in pages', () => {
	for (const name of documents)
		for (const [, target = ''] of readDocument(name).matchAll(/\]\(([^)\s]+)\)/g)) {
			if (/^[a-z]+:/.test(target)) {
				if (!target.startsWith(`${productSite}/blob/main/`)) continue;
				const path = target.slice(`${productSite}/blob/main/`.length);
				assert.ok(existsSync(join(root, path)), `${name}: ${target}`);
				continue;
			}
			const [path = '', anchor] = target.split('#');
			const file = path === '' ? name : normalize(join(dirname(name), path));
			assert.ok(existsSync(join(root, file)), `${name}: ${target}`);
			if (anchor !== undefined)
				assert.ok(anchors(readDocument(file)).has(anchor), `${name}: ${target}`);
		}
});

test('the menu of the site has every page once, and the address of the project is the one of package.json', async () => {
	const { sections } = (await import(
		new URL('../../docs/.vitepress/pages.mjs', import.meta.url).href
	)) as {
		sections: readonly { pages: readonly (readonly [string, string])[] }[];
	};
	const listed = sections.flatMap(({ pages }) => pages.map(([, path]) => `docs/${path}`));
	assert.equal(new Set(listed).size, listed.length);
	const there = documents.filter(
		(name) => name.startsWith('docs/') && !/^docs\/adr\/\d/.test(name),
	);
	assert.deepEqual([...listed].sort(), [...there, 'docs/reference/command-line.md'].sort());
	assert.equal(`git+${productSite}.git`, json('package.json').repository.url);
	const advised = globSync('server/cli/*.ts', { cwd: root }).flatMap((name) =>
		[...readFileSync(join(root, name), 'utf8').matchAll(/documentAddress\('([^']+)'\)/g)].map(
			([, page = '']) => page,
		),
	);
	assert.ok(advised.length >= 2 && advised.every((page) => existsSync(join(root, 'docs', page))));
	assert.equal(documentAddress('editor.md'), `${productSite}/blob/main/docs/editor.md`);
});

test('the name in the npm registry is the one that releases publish, and readers are told to look whose it is', () => {
	const { name, repository } = json('package.json');
	const release = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
	assert.match(release, new RegExp(` ${name}-\\[0-9\\]\\*\\.tgz`));
	const page = readDocument('docs/start/install.md');
	const look = page.indexOf(`npm view ${name} repository.url`);
	const install = page.indexOf(`npm install --global ${name}\n`);
	assert.ok(look > 0 && install > look && page.includes(`\`${repository.url}\``));
	for (const document of documents)
		assert.doesNotMatch(readDocument(document), /not ours|not in the npm registry/, document);
});

test('nobody is told to run npx with a name that is not ours, outside of a checkout', () => {
	const texts = globSync(
		['server/**/*.ts', 'extension/**/*.ts', 'package.nls*.json', 'l10n/*.json'],
		{ cwd: root },
	);
	const advice = /\bnpx\s+nearglot|"npx"/;
	const advising = texts.filter((name) => advice.test(readFileSync(join(root, name), 'utf8')));
	assert.deepEqual(advising, []);
});
