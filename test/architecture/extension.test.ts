/** The layers of the extension. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imports, sources, target } from './sources.ts';

const root = 'extension/';

/**
 * From top to bottom. A file imports from its own folder and from lower layers only; parts of one layer do not
 * know each other.
 */
const layers: readonly (readonly string[])[] = [
	['main.ts'],
	['createExtension.ts'],
	['commands.ts'],
	['extension.ts', 'statusItem.ts'],
	['actions', 'ai', 'edits', 'preview', 'readerMode.ts', 'transcripts', 'warmUp.ts'],
	['account', 'chat', 'engines', 'jobs', 'messages', 'models', 'targetLanguageItem.ts'],
	[
		'editorLanguages.ts',
		'glossaryFiles.ts',
		'readerLines.ts',
		'secretStorage.ts',
		'targetLanguage.ts',
		'translationSystem.ts',
		'workspace',
	],
	['serverEnvironment.ts', 'terminalEnvironment.ts'],
	[
		'languageServerClient.ts',
		'notify.ts',
		'privateFiles.ts',
		'schemes.ts',
		'secretFiles.ts',
		'settings.ts',
	],
	['languageClient.ts', 'readersNumbers.ts'],
	['languageServerProcess.ts', 'messageTrace.ts', 'supervisor.ts'],
];

/** First part of a path inside the extension: a folder, or a file that stands for itself. */
const partOf = (path: string) => path.slice(root.length).split('/')[0] ?? '';
const layerOf = (part: string) => layers.findIndex((layer) => layer.includes(part));

test('imports between the parts of the extension go only downwards', () => {
	const wrong: string[] = [];
	const seen = new Set<string>();
	for (const source of sources('extension')) {
		const from = partOf(source.path);
		seen.add(from);
		assert.notEqual(layerOf(from), -1, `${source.path} is in no layer`);
		for (const specifier of imports(source)) {
			const path = target(source, specifier);
			if (!path?.startsWith(root)) continue;
			const to = partOf(path);
			if (from !== to && layerOf(to) <= layerOf(from)) wrong.push(`${source.path} → ${path}`);
		}
	}
	assert.deepEqual(wrong, []);
	assert.deepEqual(
		layers.flat().filter((part) => !seen.has(part)),
		[],
		'parts that are not there',
	);
});
