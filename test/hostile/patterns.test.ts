/**
 * Every regular expression of the sources takes linear time, whatever text it meets: none has a
 * repetition that a following one, or its own start elsewhere, could match as well.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { RegExpParser } from '@eslint-community/regexpp';
import { tokenizer } from 'acorn';
import { analyse } from 'scslre';

const server = join(import.meta.dirname, '../../server');

/** Files whose patterns only meet short texts, and why those are short. */
const short: Readonly<Record<string, string>> = {
	'engine/devices/gpus.ts': 'a name of a graphics card',
	'engine/grammar/grammarSize.ts': 'a grammar, read in a thread with a deadline',
	'engine/grammar/jsonClasses.ts': 'a pattern of the grammar compiler, made here',
	'engine/grammar/numberRange.ts': 'digits of a number of a schema',
	'engine/grammar/schemaCheck.ts': 'a pattern of a schema, compiled off the loop',
	'engine/onnx/attentionOutputs.ts': 'a name of a tensor',
	'engine/speech/openSpeech.ts': 'a path of a folder',
	'engine/template/toolCallParser.ts': 'an answer of a model, read in the runner',
	'engine/template/toolFormat.ts': 'an answer of a model, read in the runner',
	'engine/tokenizer/normalizers.ts': 'a prompt, read in the runner',
	'hub/archive.ts': 'a name in an archive',
	'hub/http.ts': 'an address that the owner set',
	'hub/modelUri.ts': 'an address or folder of at most 4,096 characters',
	'hub/repository.ts': 'a header of a hub',
	'lsp/nameAt.ts': 'one name of a line',
	'remote/hostedAddress.ts': 'an address that the owner set',
	'services/translate/japaneseReadings.ts': 'an address that the owner set',
	'translate/protect.ts': 'words of at most 200 characters',
};

const parser = new RegExpParser({ ecmaVersion: 2025 });

/** The faults of a pattern, or none. */
function faultsOf(source: string, flags: string): string[] {
	const [unicode, unicodeSets] = [flags.includes('u'), flags.includes('v')];
	const pattern = parser.parsePattern(source, undefined, undefined, { unicode, unicodeSets });
	const { reports } = analyse({ pattern, flags: parser.parseFlags(flags) });
	return reports.map(({ type, exponential }) => (exponential ? `exponential ${type}` : type));
}

/** Patterns of a file with their lines. */
function* patternsOf(file: string): Generator<{ source: string; flags: string; line: number }> {
	const code = stripTypeScriptTypes(readFileSync(file, 'utf8'));
	const options = { ecmaVersion: 'latest', sourceType: 'module', locations: true } as const;
	for (const token of tokenizer(code, options)) {
		if (token.type.label !== 'regexp' || !('value' in token)) continue;
		const { pattern, flags } = token.value as { pattern: string; flags: string };
		yield { source: pattern, flags, line: token.loc?.start.line ?? 0 };
	}
}

test('patterns that take quadratic or exponential time are told from those that do not', () => {
	for (const source of ['\\s*$', '(?:a+)+b', '!?\\[(?=[^\\]]*\\]\\()', '^(\\s*)(.*?)(\\s*)$'])
		assert.notDeepEqual(faultsOf(source, ''), [], source);
	for (const source of ['^\\s*', '\\s+', '"(?:\\\\.|[^"\\\\])*"', '<[^<>]*>'])
		assert.deepEqual(faultsOf(source, ''), [], source);
});

test('no pattern of the sources takes more than linear time', () => {
	const faults: string[] = [];
	const unused = new Set(Object.keys(short));
	let count = 0;
	for (const name of globSync('**/*.ts', { cwd: server })) {
		const file = name.replaceAll('\\', '/');
		for (const { source, flags, line } of patternsOf(join(server, name))) {
			count++;
			const found = faultsOf(source, flags);
			if (found.length === 0) continue;
			unused.delete(file);
			if (short[file] === undefined) faults.push(`${file}:${line} ${found[0]} /${source}/`);
		}
	}
	assert.ok(count > 500, `${count} patterns`);
	assert.deepEqual(faults, []);
	assert.deepEqual([...unused], [], 'files without such patterns need no exception');
});
