/**
 * A text that grows in a loop is not looked at there: each look, be it at the last character, first copies
 * the whole text into one piece, so together they take the square of its length.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isNode, type Node, nodesOf, treeOf } from './syntax.ts';

const server = join(import.meta.dirname, '../../server');

/** Files whose growing texts are short, and why. */
const short: Readonly<Record<string, string>> = {
	'translate/scripts/rules.ts': 'pieces of at most 500 characters',
};

const loops = new Set(
	['For', 'ForOf', 'ForIn', 'While', 'DoWhile'].map((kind) => `${kind}Statement`),
);

/** Where a text is looked at in a loop that makes it longer, as code. */
function looksAtGrowing(source: string): string[] {
	const { tree, code } = treeOf(source);
	const all = [...nodesOf(tree)];
	const textOf = (value: unknown) => (isNode(value) ? code.slice(value.start, value.end) : '');

	/** Whether an expression is a text and something behind it. */
	const extendsText = (value: unknown, name: string): boolean => {
		if (!isNode(value)) return false;
		if (value.type === 'ConditionalExpression')
			return extendsText(value['consequent'], name) || extendsText(value['alternate'], name);
		if (value.type === 'BinaryExpression')
			return value['operator'] === '+' && [...nodesOf(value)].some((each) => textOf(each) === name);
		return (
			value.type === 'TemplateLiteral' &&
			(value['expressions'] as Node[]).some((each) => textOf(each) === name)
		);
	};
	const grownBy = (node: Node): string | undefined => {
		if (node.type !== 'AssignmentExpression') return undefined;
		const name = textOf(node['left']);
		const grows = node['operator'] === '+=' || extendsText(node['right'], name);
		return grows ? name : undefined;
	};
	const functionAt = (value: unknown): Node | undefined => {
		if (!isNode(value)) return undefined;
		if (/Function/.test(value.type)) return value;
		return all.find((each) => /Function/.test(each.type) && textOf(each['id']) === textOf(value));
	};
	/** Statements after which a text is begun anew, in the same list. */
	const flushes = (name: string): Node[] =>
		all.flatMap((node) => {
			const list = Array.isArray(node['body']) ? node['body'] : node['consequent'];
			if (!Array.isArray(list)) return [];
			const at = list.findIndex((each) => textOf(each).startsWith(`${name} = ''`));
			return at < 0 ? [] : (list.slice(0, at) as Node[]);
		});
	const looks = (body: Node, name: string): string[] =>
		[...nodesOf(body)].flatMap((node) => {
			const callee = node.type === 'CallExpression' ? node['callee'] : undefined;
			const isCall = isNode(callee) && callee.type === 'MemberExpression';
			const tested = isCall && /^(?:test|exec)$/.test(textOf(callee['property']));
			const looked =
				(isCall && textOf(callee['object']) === name) ||
				(tested && textOf((node['arguments'] as Node[])[0]) === name) ||
				(node.type === 'MemberExpression' &&
					node['computed'] === true &&
					textOf(node['object']) === name);
			if (!looked) return [];
			const isFlush = flushes(name).some(
				({ start, end }) => start <= node.start && node.end <= end,
			);
			return isFlush ? [] : [textOf(node)];
		});

	const found = new Set<string>();
	for (const node of all) {
		if (loops.has(node.type)) {
			const names = new Set([...nodesOf(node)].map(grownBy));
			for (const name of names)
				if (name !== undefined) for (const look of looks(node, name)) found.add(look);
		}
		const callee = node.type === 'CallExpression' ? node['callee'] : undefined;
		if (!isNode(callee) || !/^reduce(?:Right)?$/.test(textOf(callee['property']))) continue;
		const step = functionAt((node['arguments'] as Node[])[0]);
		const name = textOf((step?.['params'] as Node[] | undefined)?.[0]);
		if (!step || name === '') continue;
		const made = [...nodesOf(step)].flatMap((each) =>
			each.type === 'ReturnStatement' ? [each['argument']] : [],
		);
		if (![...made, step['body']].some((value) => extendsText(value, name))) continue;
		for (const look of looks(step, name)) found.add(look);
	}
	return [...found];
}

test('loops that look at what they make longer are told from those that do not', () => {
	const bad = [
		"let out = ''; for (const p of parts) { if (/x$/.test(out)) break; out += p; }",
		`let out = ''; while (more()) { out = \`\${out}\${next()}\`; last(out.at(-1)); }`,
		`parts.reduce((text, part) => (text.endsWith(" ") ? text + part : \`\${text} \${part}\`), "");`,
		'parts.reduce(joined, ""); function joined(text, part) { return /x$/.test(text) ? text + part : part; }',
	];
	for (const code of bad) assert.notDeepEqual(looksAtGrowing(code), [], code);
	const good = [
		"let out = ''; for (const p of parts) out += p; use(out.trim());",
		"let out = ''; for (const p of parts) { if (p === '') { rows.push(out.trim()); out = ''; } out += p; }",
		'list.reduce((sum, { length }) => sum + length, 0);',
		"let out = ''; for (const p of parts) if (out.length < 9) out += p;",
	];
	for (const code of good) assert.deepEqual(looksAtGrowing(code), [], code);
});

test('no loop of the sources looks at a text that it makes longer', () => {
	const faults: string[] = [];
	for (const name of globSync('**/*.ts', { cwd: server })) {
		const file = name.replaceAll('\\', '/');
		if (short[file] !== undefined) continue;
		for (const look of looksAtGrowing(readFileSync(join(server, file), 'utf8')))
			faults.push(`${file}: ${look}`);
	}
	assert.deepEqual(faults, []);
});
