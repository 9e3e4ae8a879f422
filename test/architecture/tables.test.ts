/**
 * Tables that are asked with strings from outside: `constructor` and `__proto__` are properties of every
 * object, so a name that is looked up is looked up in a Map, or among an object's own properties.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sources } from './sources.ts';

const declaration =
	/\bconst (?<name>\w+): (?:Readonly<)?(?:Partial<)?Record<\s*string,[^;]*?> = (?<value>\{|Object\.fromEntries)/g;

/** Names of tables with any string as a key, and whether other files see them. */
function tablesIn(text: string): string[] {
	return [...text.matchAll(declaration)].map(({ groups }) => groups?.['name'] ?? '');
}

/** Reads and writes of a table by a name that is computed. */
function computed(text: string, table: string): string[] {
	if (new RegExp(`\\bhasOwn\\(\\s*${table},`).test(text)) return [];
	const index = new RegExp(`(?<![.\\w])${table}(?:\\?\\.)?\\[(?!['"\`\\d])[^\\]\\n]*`, 'g');
	return [...text.matchAll(index)].map(([found]) => `${found}]`);
}

/** Files whose tables have names of this program alone, and which. */
const own = new Map(
	Object.entries({
		'server/engine/build/architectures/ggufConfig.ts': 'settings that are known',
		'server/engine/build/quantise/blockKernels.ts': 'kernels',
		'server/engine/build/quantise/quantiseBlocks.ts': 'parts of a block',
		'server/engine/modelFiles/sessionSettings.ts': 'settings that are allowed',
		'server/engine/template/chatTemplate.ts': 'names that end in _token',
		'server/http/openapi.ts': 'paths of routes',
		'server/http/translate/translateInput.ts': 'operations',
		'server/http/translate/translateLanguages.ts': 'parts of the list of languages',
		'server/hub/refresh.ts': 'ids of the catalogue',
		'server/remote/hostedSettings.ts': 'settings that are known',
		'server/services/usageLog.ts': 'labels of the settings',
	}),
);

test('no table is asked by name through the properties of an object', () => {
	const files = ['server', 'extension', 'webview'].flatMap((folder) => sources(folder));
	const exported = new Set(
		files.flatMap(({ text }) =>
			tablesIn(text).filter((name) => text.includes(`export const ${name}:`)),
		),
	);
	const found = files.flatMap(({ path, text }) => {
		if (own.has(path)) return [];
		const imported = [...exported].filter((name) =>
			new RegExp(`import [^;]*\\b${name}\\b[^;]*;`).test(text),
		);
		return [...new Set([...tablesIn(text), ...imported])].flatMap((table) =>
			computed(text, table).map((use) => `${path}: ${use}`),
		);
	});
	assert.deepEqual(found, []);
});
