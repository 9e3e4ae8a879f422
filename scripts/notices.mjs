/**
 * Licences of everything that is shipped. Which packages those are is not listed by hand: the bundler
 * says what it took, and the rest is copied from a package or installed with the product.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledNotices } from './compiledParts.mjs';
import { root } from './node.mjs';

/** Packages beside the bundles, with their native code. */
const native = ['koffi', 'onnxruntime-common', 'onnxruntime-node'];

/** Data that has a licence of its own. */
const data = [
	`lid.176.ftz (CC-BY-SA-3.0)

The model that tells languages apart is fastText's, by Facebook AI Research: A. Joulin, E. Grave,
P. Bojanowski, T. Mikolov: "Bag of Tricks for Efficient Text Classification", and A. Joulin, E. Grave,
P. Bojanowski, M. Douze, H. Jégou, T. Mikolov: "FastText.zip: Compressing text classification models".
Unchanged. https://fasttext.cc/docs/en/language-identification.html
Licence: https://creativecommons.org/licenses/by-sa/3.0/`,
];

const licenceFile = /^(licen[cs]e|copying)([-.]|$)/i;
const noticeFile = /^(notices?|third-?party-?notices?)(\.|$)/i;

/** Folder of the package a file is from, which ends with its name; `undefined` for a file of ours. */
const folderOf = (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];

/**
 * Text of ThirdPartyNotices.txt.
 * @param {Iterable<string>} files Paths of what was bundled or copied, with / on every system.
 */
export function thirdPartyNotices(files) {
	const folders = new Map(native.map((name) => [name, join('node_modules', name)]));
	for (const file of files) {
		const folder = folderOf(file);
		if (folder) folders.set(folder.replace(/^.*node_modules\//, ''), folder);
	}
	const notices = [...folders]
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.flatMap(([name, folder]) => notice(name, join(root, folder)));
	const line = `\n\n${'-'.repeat(80)}\n\n`;
	return `Nearglot contains the following packages.${line}${[...notices, ...data].join(line)}\n`;
}

/** Name, version and the texts that go with one package, and with what is compiled into it. */
function notice(name, folder) {
	const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
	const { version, licenses, author } = manifest;
	const license = String(manifest.license ?? licenses?.map(({ type }) => type).join(', '));
	const texts = readdirSync(folder)
		.filter((file) => licenceFile.test(file) || noticeFile.test(file))
		.sort()
		.map((file) => readFileSync(join(folder, file), 'utf8').trim());
	if (!texts.some((text) => text.length > 200)) texts.unshift(standardText(name, license, author));
	return [
		[`${name} ${version} (${license})`, ...texts].join('\n\n'),
		...compiledNotices(name, version, folder),
	];
}

/** The licence a package names without having its text. */
function standardText(name, license, author) {
	const holder = String(author?.name ?? author ?? `the authors of ${name}`).replace(
		/\s*[<(].*$/,
		'',
	);
	if (license === 'MIT') {
		const own = readFileSync(join(root, 'LICENSE'), 'utf8');
		return own.replace(/^Copyright .*$/m, `Copyright (c) ${holder}`).trim();
	}
	if (license === 'Apache-2.0') {
		const text = ['kuromoji', 'openai', 'typescript']
			.map((other) => join(root, 'node_modules', other))
			.flatMap((folder) =>
				existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [],
			)
			.filter((file) => licenceFile.test(file.split(/[\\/]/).at(-1) ?? ''))
			.map((file) => readFileSync(file, 'utf8').trim())
			.find((found) => /Apache License\s+Version 2\.0/.test(found));
		if (text !== undefined) return `Copyright (c) ${holder}\n\n${text}`;
	}
	throw new Error(`${name} (${license}) has no licence text; add one to scripts/notices.mjs.`);
}
