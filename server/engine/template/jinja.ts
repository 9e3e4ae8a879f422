/** Compiles chat templates and evens out where the JavaScript Jinja differs from the reference one. */

import { Template } from '@huggingface/jinja';
import { asRecord } from '../modelFiles/json.ts';
import { withinBudget } from './budget.ts';
import { markLoopBody } from './loopControl.ts';

/** A compiled template. */
export interface CompiledTemplate {
	/**
	 * @throws Error with the template's own message when it refuses the variables
	 * @throws TemplateTooExpensive
	 */
	render(variables: Readonly<Record<string, unknown>>): string;
}

/** Compiles a template. @throws Error when its syntax is broken */
export function compileTemplate(source: string): CompiledTemplate {
	const template = new Template(source);
	rewrite(template.parsed);
	return {
		render: (variables) => withinBudget(() => template.render({ ...variables })),
	};
}

type Node = Record<string, unknown>;

// Filters that take nothing for an empty list; and those that take undefined for '' and none for 'None'.
const listFilters = new Set(['selectattr', 'rejectattr', 'select', 'reject', 'map']);
const textFilters = new Set(['trim', 'upper', 'lower', 'replace', 'title', 'capitalize']);

function rewrite(value: unknown): void {
	if (Array.isArray(value)) {
		for (const item of value) rewrite(item);
		return;
	}
	const node = asRecord(value) as Node | undefined;
	if (node === undefined) return;
	for (const child of Object.values(node)) {
		if (typeof child === 'object') rewrite(child);
	}
	if (node.type === 'For') markLoopBody(node.body);
	if (node.type === 'FilterExpression') guardOperand(node);
	if (isSum(node)) escapeUnsafeSide(node);
	if (node.type === 'ArrayLiteral' && Array.isArray(node.value)) {
		// Loops over a list of pairs unpack lists only.
		for (const item of node.value) {
			const inner = asRecord(item) as Node | undefined;
			if (inner?.type === 'TupleLiteral') inner.type = 'ArrayLiteral';
		}
	}
}

function guardOperand(node: Node): void {
	const filter = asRecord(node.filter);
	const name = filter?.type === 'CallExpression' ? asRecord(filter.callee)?.value : filter?.value;
	if (listFilters.has(String(name))) {
		node.operand = {
			type: 'BinaryExpression',
			operator: { type: 'BooleanBinaryOperator', value: 'or' },
			left: node.operand,
			right: { type: 'ArrayLiteral', value: [] },
		};
	} else if (textFilters.has(String(name))) {
		const given = {
			type: 'FilterExpression',
			operand: node.operand,
			filter: {
				type: 'CallExpression',
				callee: { type: 'Identifier', value: 'default' },
				args: [{ type: 'StringLiteral', value: '' }],
			},
		};
		const isNotNone = { type: 'TestExpression', operand: given, negate: true };
		node.operand = {
			type: 'Ternary',
			condition: { ...isNotNone, test: { type: 'Identifier', value: 'none' } },
			trueExpr: given,
			falseExpr: { type: 'StringLiteral', value: 'None' },
		};
	}
}

// What is added to text marked safe is escaped, as the reference's Markup type does.
const escapes: readonly (readonly [string, string])[] = [
	['&', '&amp;'],
	['<', '&lt;'],
	['>', '&gt;'],
	["'", '&#39;'],
	['"', '&#34;'],
];

function isSum(node: Node): boolean {
	return node.type === 'BinaryExpression' && asRecord(node.operator)?.value === '+';
}

function isSafe(value: unknown): boolean {
	const node = asRecord(value) as Node | undefined;
	if (node?.type === 'FilterExpression') return asRecord(node.filter)?.value === 'safe';
	return node !== undefined && isSum(node) && (isSafe(node.left) || isSafe(node.right));
}

function escapeUnsafeSide(node: Node): void {
	const [left, right] = [isSafe(node.left), isSafe(node.right)];
	if (left === right) return;
	const side = left ? 'right' : 'left';
	for (const [char, entity] of escapes) {
		node[side] = {
			type: 'FilterExpression',
			operand: node[side],
			filter: {
				type: 'CallExpression',
				callee: { type: 'Identifier', value: 'replace' },
				args: [
					{ type: 'StringLiteral', value: char },
					{ type: 'StringLiteral', value: entity },
				],
			},
		};
	}
}
