/** What is shipped: the built-in models' files, and the help texts against the product they speak of. */

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { describeModel } from '../../server/engine/modelFiles/describe.ts';
import { readModelLanguages, translates } from '../../server/translate/modelPairs.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const models = join(root, 'starter/models');

function folderBytes(folder: string): number {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

test('every built-in model is complete, known to the engine and at most 20 MB', async () => {
	const names = readdirSync(models);
	assert.ok(names.includes('starter-chat') && names.includes('starter-translate'), names.join());
	for (const name of names) {
		const folder = join(models, name);
		assert.ok(folderBytes(folder) <= 20_000_000, `${name} has ${folderBytes(folder)} bytes`);
		const { problems, variants } = await describeModel(folder);
		assert.deepEqual(problems, [], name);
		assert.ok(variants.length > 0, name);
	}
});

test('the built-in translation model claims only the directions it was trained on', async () => {
	const name = 'starter-translate';
	const languages = await readModelLanguages(join(models, name), name);
	for (const other of ['de', 'fr', 'es']) {
		assert.ok(translates(languages, 'en', other), `en-${other}`);
		assert.ok(translates(languages, other, 'en'), `${other}-en`);
	}
	assert.equal(translates(languages, 'de', 'fr'), false);
	assert.equal(translates(languages, 'en', 'it'), false);
});

const help = readFileSync(join(root, 'starter/chat/help.txt'), 'utf8')
	.split('\n')
	.filter((line) => line.startsWith('>'));

test('the help answers name only commands, options and palette entries that exist', () => {
	const titles = Object.values(
		JSON.parse(readFileSync(join(root, 'package.nls.json'), 'utf8')) as Record<string, string>,
	);
	const sources = readdirSync(join(root, 'server/cli'))
		.map((file) => readFileSync(join(root, 'server/cli', file), 'utf8'))
		.join('\n');
	const unknown: string[] = [];
	for (const line of help) {
		for (const [, command = ''] of line.matchAll(/\bnearglot ([a-z]+)\b/g))
			if (!existsSync(join(root, `server/cli/${command}Command.ts`)))
				unknown.push(`nearglot ${command}`);
		for (const [, sub = ''] of line.matchAll(/\bnearglot models ([a-z]+)\b/g))
			if (!new RegExp(`\\b${sub}\\b`).test(sources)) unknown.push(`nearglot models ${sub}`);
		if (line.includes('nearglot '))
			for (const [, option = ''] of line.matchAll(/ --([a-z-]+)/g))
				if (!new RegExp(`--${option}\\b|['"]${option}['"]|\\b${option}:`).test(sources))
					unknown.push(`--${option}`);
		for (const [, title = ''] of line.matchAll(/"Nearglot: ([^"]+)"/g))
			if (!titles.includes(title)) unknown.push(`Nearglot: ${title}`);
	}
	assert.deepEqual(unknown, []);
});
