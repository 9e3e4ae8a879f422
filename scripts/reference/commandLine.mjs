/** The command line, from the help texts of its commands. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../node.mjs';
import { page } from './markdown.mjs';

function help(...args) {
	const started = [
		'--disable-warning=ExperimentalWarning',
		join(root, 'server/main.ts'),
		...args,
		'--help',
	];
	const { status, stdout, stderr } = spawnSync(process.execPath, started, { encoding: 'utf8' });
	if (status !== 0)
		throw new Error(`nearglot ${args.join(' ')} --help ended with ${status}: ${stderr}`);
	return stdout.trimEnd();
}

/** Names of the commands, in the order of the overview, with their summaries. */
export function listedCommands() {
	return [...help().matchAll(/^ {2}(\w+) {2,}(.*)$/gm)].map(([, name, summary]) => ({
		name,
		summary,
	}));
}

export function commandLine() {
	const sections = listedCommands().map(
		({ name, summary }) => `## nearglot ${name}\n\n${summary}\n\n\`\`\`text\n${help(name)}\n\`\`\``,
	);
	return page(
		'Command line',
		'the help texts of the commands',
		'Every command exits with 0 on success, 1 on failure, 2 on wrong use and 130 after Ctrl+C. Progress is shown on standard error,\nand only on a terminal. `nearglot --version` prints the version.',
		...sections,
	);
}
