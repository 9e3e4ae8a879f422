/** Completions as the editor asks for them: what the model is shown, also one that reads little. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { until } from '../../support/until.ts';
import { desk, resetDesk } from '../vscodeDouble.ts';

const { registerInlineCompletions } = await import('../../../extension/ai/inlineCompletions.ts');
const { AppError } = await import('../../../server/protocol/index.ts');

interface Asked {
	readonly prefix: string;
	readonly suffix: string;
}

const text = `${'// filling\n'.repeat(400)}const row = readRow(table);\nconst other = `;
const uri = (path: string) => ({ path, scheme: 'file', toString: () => `file://${path}` });
const document = {
	uri: uri('/main.ts'),
	languageId: 'typescript',
	getText: () => text,
	offsetAt: () => text.length,
	positionAt: (offset: number) => ({ offset }),
};
const other = {
	uri: uri('/rows.ts'),
	getText: () => 'export function readRow(table: Table): Row {\n\treturn table.rows[0];\n}\n',
};
const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };

interface Token {
	readonly isCancellationRequested: boolean;
}

let asked: Asked[] = [];
let tokens: Token[] = [];
/** What a model waits for before it answers. */
let answer: Promise<void> | undefined;
let maxPrefix = Number.POSITIVE_INFINITY;
const languageServer = {
	request: async (_method: string, params: Asked, token: Token) => {
		asked.push(params);
		tokens.push(token);
		await answer;
		if (params.prefix.length > maxPrefix)
			throw new AppError('context_length_exceeded', 'Too long.');
		return { text: 'readRow(other);' };
	},
};

beforeEach(() => {
	resetDesk();
	asked = [];
	tokens = [];
	answer = undefined;
	maxPrefix = Number.POSITIVE_INFINITY;
	desk.settings['inline.model'] = 'coder';
	registerInlineCompletions(languageServer as never, { warn: assert.fail } as never);
});

const complete = (shown = document) =>
	desk.completions.provideInlineCompletionItems(shown, { line: 401 }, { triggerKind: 0 }, token);

/** The same text after so many more keys. */
const typed = (keys: string) => ({
	...document,
	getText: () => text + keys,
	offsetAt: () => (text + keys).length,
});

test('what a name stands for in another file is shown before the code', async () => {
	const at = text.indexOf('readRow');
	desk.command = (name, _uri, position) =>
		name === 'vscode.executeDefinitionProvider' && (position as { offset: number }).offset === at
			? [{ uri: other.uri, range: { start: { line: 0 } } }]
			: [];
	desk.read = () => other;
	const [item] = await complete();
	assert.equal(item?.insertText, 'readRow(other);');
	assert.match(asked[0]?.prefix ?? '', /^\/\/ From rows\.ts:\n\/\/ export function readRow\(table/);
	assert.ok(asked[0]?.prefix.endsWith('const other = '));
});

test('an extension of a language that never answers keeps no suggestion back', async () => {
	desk.command = () => new Promise(() => {});
	assert.equal((await complete()).length, 1);
});

test('with the next keys a model that reads little is asked once, until another model is chosen', async () => {
	maxPrefix = 1000;
	await complete();
	for (const keys of ['x', 'xy']) {
		asked = [];
		assert.equal((await complete(typed(keys))).length, 1);
		assert.equal(asked.length, 1);
		assert.ok((text + keys).endsWith(asked[0]?.prefix ?? ''));
	}
	maxPrefix = Number.POSITIVE_INFINITY;
	desk.settings['inline.model'] = 'larger';
	asked = [];
	await complete(typed('xyz'));
	assert.ok((asked[0]?.prefix.length ?? 0) > 1000);
});

test('a key ends what was asked before it', async () => {
	let finish = () => {};
	answer = new Promise((resolve) => {
		finish = resolve;
	});
	const first = complete();
	await until('the model is asked', () => tokens.length === 1);
	const second = complete(typed('x'));
	await until('it is asked once more', () => tokens.length === 2);
	assert.deepEqual(
		tokens.map(({ isCancellationRequested: isCancelled }) => isCancelled),
		[true, false],
	);
	finish();
	await Promise.all([first, second]);
});

test('a model that reads little is asked again with what is nearest', async () => {
	maxPrefix = 1000;
	assert.equal((await complete()).length, 1);
	assert.deepEqual(
		asked.map(({ prefix }) => prefix.length > maxPrefix),
		[true, false],
	);
	assert.ok(text.endsWith(asked[1]?.prefix ?? ''));
	assert.ok((asked[1]?.prefix.length ?? 0) > 500);
});
