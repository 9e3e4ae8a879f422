/**
 * What a function holds until its end (`using`, `await using`, `finally`) is held until its work is done:
 * a promise that is returned without being awaited would go on working after everything was given back.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childrenOf, isNode, type Node, sourcesOf, treeOf } from './syntax.ts';

/** Calls that give no promise, and where they are. */
const immediate: Readonly<Record<string, string>> = {
	'extension/ai/inlineCompletions.ts': 'item',
	'server/cli/doctorCommand.ts': 'String',
	'server/cli/keysCommand.ts': 'create rotate people',
	'server/engine/embed/embedder.ts': 'sequences.map',
	'server/engine/runtime/capiBinding.ts': 'copyTensor',
	'server/engine/seq2seq/headWeights.ts': 'asBytes rowMajor packed',
	'server/engine/speech/tokenStarts.ts': 'starts.map',
	'server/engine/template/budget.ts': 'render',
	'server/services/limits/keyStore.ts': 'this.#file.change',
	'server/services/mcpTools.ts': '(await response.text()).trimEnd',
	'extension/transcripts/recordingFile.ts': "hash.digest('hex').slice",
};

/** The calls whose values an expression may have. */
function* callsIn(value: unknown): Generator<Node> {
	if (!isNode(value)) return;
	if (value.type === 'ConditionalExpression') {
		yield* callsIn(value['consequent']);
		yield* callsIn(value['alternate']);
	} else if (value.type === 'LogicalExpression') {
		yield* callsIn(value['left']);
		yield* callsIn(value['right']);
	} else if (value.type === 'SequenceExpression')
		yield* callsIn((value['expressions'] as Node[]).at(-1));
	else if (value.type === 'ChainExpression') yield* callsIn(value['expression']);
	else if (value.type === 'CallExpression' || value.type === 'ImportExpression') yield value;
	else if (value.type === 'NewExpression' && (value['callee'] as Node)['name'] === 'Promise')
		yield value;
}

/** Callees of the calls that are returned, not awaited, while something is held. */
function returnedWhileHeld(source: string): string[] {
	const { tree, code } = treeOf(source);
	const found: string[] = [];
	const walk = (node: Node, holds: boolean): void => {
		if (node.type === 'ReturnStatement' && holds)
			for (const call of callsIn(node['argument'])) {
				const callee = isNode(call['callee']) ? call['callee'] : call;
				found.push(code.slice(callee.start, callee.end));
			}
		const held = holds && !/Function/.test(node.type);
		if (node.type === 'TryStatement' && isNode(node['finalizer'])) {
			walk(node['block'] as Node, true);
			if (isNode(node['handler'])) walk(node['handler'], true);
			walk(node['finalizer'], held);
			return;
		}
		let isHeld = held;
		for (const child of childrenOf(node)) {
			walk(child, isHeld);
			if (child.type === 'VariableDeclaration' && /using$/.test(String(child['kind'])))
				isHeld = true;
		}
	};
	walk(tree, false);
	return found;
}

test('promises that leave what they use behind are told from those that do not', () => {
	for (const body of [
		'await using place = await take(); return work();',
		'using place = take(); return isLong ? await work() : work();',
		'using place = take(); if (isLong) { return new Promise(work); }',
		'try { return work(); } finally { free(); }',
		'try { await first(); } catch { return known?.work() ?? work(); } finally { free(); }',
		'for (const one of all) { using place = take(one); return work(one); }',
	])
		assert.notDeepEqual(returnedWhileHeld(`async function f() { ${body} }`), [], body);
	for (const body of [
		'await using place = await take(); return await work();',
		'using place = take(); const done = await work(); return done;',
		'using place = take(); return { later: async () => { return work(); } };',
		'if (isShort) return work(); using place = take(); return await work();',
		'{ using place = take(); await first(); } return work();',
		'try { await first(); } finally { free(); } return work();',
	])
		assert.deepEqual(returnedWhileHeld(`async function f() { ${body} }`), [], body);
});

test('no promise of the sources goes on working with what its function has given back', () => {
	const faults: string[] = [];
	const unused = new Set(Object.keys(immediate));
	let holding = 0;
	for (const { path, text } of sourcesOf('server', 'extension')) {
		if (/\busing \w|\bfinally \{/.test(text)) holding++;
		for (const callee of returnedWhileHeld(text))
			if (immediate[path]?.includes(callee)) unused.delete(path);
			else faults.push(`${path}: ${callee}(…) is returned before it is done`);
	}
	assert.ok(holding > 50, `${holding} files hold something`);
	assert.deepEqual(faults, []);
	assert.deepEqual([...unused], [], 'files without such calls need no exception');
});
