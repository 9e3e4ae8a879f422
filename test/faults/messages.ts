/** What is wrong with a message for people: empty, raw, or advice to use something that does not exist. */

import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

const sources = ['server', 'extension'].flatMap((folder) =>
	readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => ({
			name: [folder, ...name.split(sep)].join('/'),
			text: readFileSync(join(root, folder, name), 'utf8'),
		})),
);
const textOf = (name: string): string => sources.find((one) => one.name === name)?.text ?? '';
const all = (pattern: RegExp, text: string): string[] =>
	[...text.matchAll(pattern)].map(([, found = '']) => found);

/** Commands of the command line, and sub-commands as `models pull`. */
const commands = new Set([
	...all(/^\t(\w+): async \(\) =>/gm, textOf('server/main.ts')),
	...all(/^\t(\w+): \{\s*summary/gm, textOf('server/cli/modelsCommand.ts')).map(
		(name) => `models ${name}`,
	),
	...['keys', 'systems'].flatMap((command) =>
		all(/case '(\w+)':/g, textOf(`server/cli/${command}Command.ts`)).map(
			(name) => `${command} ${name}`,
		),
	),
]);
const options = new Set(
	sources
		.filter(({ name }) => name.startsWith('server/cli/'))
		.flatMap(({ text }) => [
			...all(/'?([\w-]+)'?: \{ type: '(?:string|boolean)'/g, text),
			// The gateway's and those of the help texts.
			...all(/^ {2}--([\w-]+)/gm, text),
		]),
);
const variables = new Set(sources.flatMap(({ text }) => all(/'((?:NEARGLOT|HF)_[A-Z_]+)'/g, text)));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
	contributes: {
		commands: { command: string }[];
		configuration:
			| { properties: Record<string, unknown> }[]
			| { properties: Record<string, unknown> };
	};
};
const settings = new Set([
	...[manifest.contributes.configuration].flat().flatMap((part) => Object.keys(part.properties)),
	...manifest.contributes.commands.map(({ command }) => command),
]);
const nativeCalls = new Set(all(/^\t(\w+): \[\d+,/gm, textOf('server/engine/runtime/capi.ts')));

const systemCodes = Object.keys(constants.errno).join('|');
const raw: readonly (readonly [RegExp, string])[] = [
	[new RegExp(`\\b(?:${systemCodes}|ENOTFOUND|EAI_AGAIN)\\b`), 'a code of the system'],
	[/\b(?:ERR|UND_ERR|SQLITE)_[A-Z_]+\b/, 'a code of a library'],
	[/^\s+at .+(?::\d+:\d+|<anonymous>|native)/m, 'a stack'],
	[/\bundefined\b|\[object \w+\]|\bNaN\b/, 'a value without a text'],
	[/\b(?:Type|Range|Syntax|Reference|Aggregate|Ort)Error\b/, 'a kind of error'],
	[/is not a function|Cannot read propert|fetch failed|Unexpected token/, 'words of the engine'],
	[/Something went wrong inside Nearglot/, 'an error nobody had foreseen'],
];

/** Everything that is wrong with a message; empty when it is good. */
export function complaintsOf(message: string): string[] {
	const text = message.trim();
	if (!/[A-Za-z]{3}.*\s.*[A-Za-z]{2}/s.test(text)) return ['it says nothing'];
	const found = raw.flatMap(([pattern, what]) => (pattern.test(text) ? [`it holds ${what}`] : []));
	if (!/[.!?…)'"]$/.test(text)) found.push('it is no sentence');
	for (const [call] of text.matchAll(/\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b/g))
		if (nativeCalls.has(call)) found.push(`it holds the native call ${call}`);
	for (const [, command = '', action] of text.matchAll(
		/\bnearglot ([a-z]+)\b(?!:)(?: ([a-z]+)\b)?/g,
	)) {
		if (!commands.has(command)) found.push(`there is no command 'nearglot ${command}'`);
		const isNested = /^(models|keys|systems)$/.test(command) && action !== undefined;
		if (isNested && !commands.has(`${command} ${action}`))
			found.push(`there is no command 'nearglot ${command} ${action}'`);
	}
	for (const [, option = ''] of text.matchAll(/(?<![\w-])--([a-z][\w-]*)/g))
		if (!options.has(option)) found.push(`there is no option --${option}`);
	for (const [variable] of text.matchAll(/\b(?:NEARGLOT|HF)_[A-Z_]+\b/g))
		if (!variables.has(variable)) found.push(`there is no variable ${variable}`);
	for (const [setting] of text.matchAll(
		/(?<![\w/\\.-])nearglot\.(?!json|chat\b(?!\.))[a-z][\w.]*\w/g,
	))
		if (!settings.has(setting)) found.push(`there is no setting ${setting}`);
	return found;
}
