/** The command line, from the commands themselves, in the order in which `nearglot --help` lists them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../node.mjs';
import { page } from './markdown.mjs';

/** Names of the commands and where they are, as server/main.ts has them; those without a summary are not for people. */
const listed = [
	...readFileSync(join(root, 'server/main.ts'), 'utf8').matchAll(
		/import\('\.(\/cli\/\w+\.ts)'\)\)\.(\w+)/g,
	),
];
const loaded = await Promise.all(
	listed.map(async ([, path, name]) => (await import(`../../server${path}`))[name]),
);
export const commands = loaded.filter(({ summary }) => summary !== '');

export function commandLine() {
	const sections = commands.map(
		({ name, summary, help }) =>
			`## nearglot ${name}\n\n${summary}\n\n\`\`\`text\n${help.trim()}\n\`\`\``,
	);
	return page(
		'Command line',
		'the help texts of the commands',
		'Every command exits with 0 on success, 1 on failure, 2 on wrong use and 130 after Ctrl+C. Progress is shown on standard error,\nand only on a terminal. `nearglot --version` prints the version.',
		...sections,
	);
}
