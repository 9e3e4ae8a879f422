/** package.json, the code and the translations say the same. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { editingStrings } from '../../server/lsp/texts.ts';
import { errorKinds, errorStrings, signInCodes, teamStrings } from '../../server/protocol/index.ts';
import {
	chatStrings,
	microphoneStrings,
	reviewStrings,
	transcriptStrings,
} from '../../webview/protocol.ts';
import { recorderStrings } from '../../webview/recorderStrings.ts';
import { studioStrings, whereModelsRun } from '../../webview/studioStrings.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const manifest = JSON.parse(read('package.json'));
const { contributes } = manifest;
const languages = ['de', 'es', 'fr'];

const extensionSources = readdirSync(join(root, 'extension'), { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.ts'))
	.map((file) => read(join('extension', file)));

/** Placeholders such as {0}, sorted. */
const placeholders = (text: string) => (text.match(/\{\d\}/g) ?? []).sort().join();

test('every command of the manifest is in the table of commands, and the other way round', () => {
	const table = [...read('extension/commands.ts').matchAll(/^\t'(nearglot\.[\w.]+)':/gm)].map(
		([, id]) => id,
	);
	const internal = ['nearglot.showMenu'];
	const shown = contributes.commands.map(({ command }: { command: string }) => command);
	assert.deepEqual(table.filter((id) => !internal.includes(id ?? '')).sort(), shown.sort());
});

test('every menu entry names a command of the manifest', () => {
	const known = new Set(contributes.commands.map(({ command }: { command: string }) => command));
	for (const entries of Object.values<{ command?: string }[]>(contributes.menus)) {
		for (const { command } of entries) if (command) assert.ok(known.has(command), command);
	}
});

test('the settings are those the code reads, at most twenty-two, and none holds a secret', () => {
	const [, listed = ''] =
		/interface Settings \{\n(.*?)\n\}/s.exec(read('extension/settings.ts')) ?? [];
	const typed = [...listed.matchAll(/^\t'?([\w.]+)'?: /gm)].map(([, name]) => name);
	const names = Object.keys(contributes.configuration.properties);
	assert.deepEqual(names.map((name) => name.replace('nearglot.', '')).sort(), typed.sort());
	assert.ok(names.length <= 22);
	for (const name of names) assert.doesNotMatch(name, /key|token(?!s)|secret|password/i);
});

test('no workspace says which server gets what people write or lends the key, and an untrusted one no model either', () => {
	const { properties } = contributes.configuration;
	const own = ['team.url', 'translate.engine', 'translate.hosted', 'terminal.environment'];
	for (const name of [...own, 'engines']) {
		assert.equal(properties[`nearglot.${name}`].scope, 'application', name);
	}
	const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
	for (const name of ['team.url', 'chat.model']) {
		assert.ok(restrictedConfigurations.includes(`nearglot.${name}`), name);
	}
});

test('keys are taken for changes in place alone, where nothing else has them, and nothing starts by itself', () => {
	const bindings: readonly Record<'command' | 'key' | 'when', string>[] = contributes.keybindings;
	for (const { command, when } of bindings) {
		assert.match(command, /^nearglot\.edit\./);
		assert.match(when, /^editorTextFocus && /, command);
	}
	const start = bindings.find(({ key }) => key === 'ctrl+i');
	assert.match(start?.when ?? '', /!inlineChatHasProvider && !inlineChatHasEditsAgent/);
	for (const key of ['escape', 'ctrl+enter'])
		assert.match(bindings.find((one) => one.key === key)?.when ?? '', /nearglot\.edit == \w+$/);
	assert.equal(bindings.length, 3);
	assert.ok(manifest.activationEvents.every((event: string) => event !== '*'));
});

test('every text of the manifest is in package.nls.json of every language, and nothing more', () => {
	const used = new Set([...read('package.json').matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key));
	const english = JSON.parse(read('package.nls.json'));
	assert.deepEqual(Object.keys(english).sort(), [...used].sort());
	for (const language of languages) {
		const translated = JSON.parse(read(`package.nls.${language}.json`));
		assert.deepEqual(Object.keys(translated).sort(), [...used].sort(), language);
		for (const key of Object.keys(english)) {
			const commandsOf = (text: string) => (text.match(/command:[\w.]+/g) ?? []).join();
			assert.equal(commandsOf(translated[key]), commandsOf(english[key]), `${language} ${key}`);
		}
	}
});

test('every text of the code is in the bundle of every language, with its placeholders', () => {
	const texts = new Set<string>(
		[
			chatStrings,
			editingStrings,
			signInCodes,
			teamStrings,
			errorStrings,
			microphoneStrings,
			recorderStrings,
			reviewStrings,
			studioStrings,
			transcriptStrings,
			Object.fromEntries(whereModelsRun),
		].flatMap((texts) => Object.values(texts)),
	);
	for (const source of extensionSources) {
		for (const [, text = ''] of source.matchAll(/l10n\.t\(\s*'((?:[^'\\]|\\.)*)'/g)) {
			texts.add(text.replaceAll("\\'", "'"));
		}
	}
	for (const { sentence } of Object.values(errorKinds)) texts.add(sentence);
	assert.ok(texts.size > 80);
	for (const language of languages) {
		const bundle = JSON.parse(read(`l10n/bundle.l10n.${language}.json`));
		assert.deepEqual(Object.keys(bundle).sort(), [...texts].sort(), language);
		for (const [text, translated] of Object.entries<string>(bundle)) {
			assert.equal(placeholders(translated), placeholders(text), `${language}: ${text}`);
		}
	}
});

test('an error with a sentence in the language of the editor says so, and is translated no second time', () => {
	for (const source of extensionSources) {
		assert.doesNotMatch(source, /new AppError\(\s*'\w+',\s*(?:vscode\.l10n\.)?(?:t|text)\(/);
	}
});

test('a page whose models run elsewhere has another sentence for every one that speaks of this computer', () => {
	const ofPages = [chatStrings, studioStrings, transcriptStrings].flatMap((texts) =>
		Object.values<string>(texts),
	);
	const speaking = ofPages.filter((text) => /this (computer|machine)/i.test(text));
	assert.deepEqual([...whereModelsRun.keys()].sort(), [...new Set(speaking)].sort());
	for (const text of whereModelsRun.values()) assert.doesNotMatch(text, /this (computer|machine)/i);
});

test('the pictures the manifest names are there', () => {
	const paths = [...read('package.json').matchAll(/"(media\/[^"]+)"/g)].map(
		([, path = '']) => path,
	);
	assert.ok(paths.length > 5);
	for (const path of paths) assert.ok(existsSync(join(root, path)), path);
});
