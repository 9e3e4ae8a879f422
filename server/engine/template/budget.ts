/**
 * What rendering one prompt may cost. The template library evaluates node by node; each counts as a step,
 * and so does every element that a loop or a filter is given. Texts and lists have a largest length.
 */

import { Environment, Interpreter } from '@huggingface/jinja';

/** Nodes evaluated while a prompt is rendered. A chat of 10,000 messages takes some 700,000. */
const maxSteps = 3_000_000;
/** Characters of any text a template makes, the prompt itself included. */
const maxChars = 32 << 20;
/** Elements of any list a template makes. */
const maxElements = 1_000_000;

/** Nodes inside each other, macros that call macros included; published templates have some fifty. */
const maxDepth = 500;

/** A template that goes beyond what a prompt may cost. */
export class TemplateTooExpensive extends Error {}

/** The error as {@link TemplateTooExpensive}, when it is one or the language's own limit of size or depth. */
export function asTooExpensive(error: unknown): TemplateTooExpensive | undefined {
	if (error instanceof TemplateTooExpensive) return error;
	if (!(error instanceof RangeError)) return undefined;
	return new TemplateTooExpensive('nests too deep or makes too long a text', { cause: error });
}

interface Evaluator {
	evaluate(node: unknown, environment: object): { readonly value?: unknown };
	evaluateBlock(statements: object[], environment: object): { value: string };
}

let stepsLeft = Number.POSITIVE_INFINITY;
let depth = 0;

const library = Interpreter.prototype as unknown as Evaluator;
const { evaluate, evaluateBlock } = library;

// What is done with a text or a list costs time by its length, and is done after it was evaluated.
library.evaluate = function (this: Evaluator, node, environment) {
	// The library takes the end of the stack for a name that is not there.
	if (depth >= maxDepth) refuse('nests too deep');
	depth++;
	let result: { readonly value?: unknown };
	try {
		result = evaluate.call(this, node, environment);
	} finally {
		depth--;
	}
	const { value } = result;
	if (typeof value === 'string') {
		if (value.length > maxChars) refuse(`makes a text of more than ${maxChars} characters`);
		spend(1 + (value.length >> 10));
	} else if (Array.isArray(value)) {
		if (value.length > maxElements) refuse(`makes a list of more than ${maxElements} elements`);
		spend(1 + (value.length >> 4));
	} else spend(1);
	return result;
};

// A loop with nothing in it is one node and many runs of an empty block.
library.evaluateBlock = function (this: Evaluator, statements, environment) {
	spend(1);
	return evaluateBlock.call(this, statements, environment);
};

const scope = Environment.prototype;
const { set } = scope;

// The library makes the whole list at once, however long.
scope.set = function (name, value) {
	const isRange = name === 'range' && typeof value === 'function';
	return set.call(this, name, isRange ? boundedRange : value);
};

/**
 * Renders within the budget; what is rendered meanwhile shares it.
 * @throws TemplateTooExpensive
 */
export function withinBudget<T>(render: () => T): T {
	if (stepsLeft !== Number.POSITIVE_INFINITY) return render();
	stepsLeft = maxSteps;
	try {
		return render();
	} finally {
		stepsLeft = Number.POSITIVE_INFINITY;
	}
}

/** `range` of templates, with the library's arguments. */
function boundedRange(start: number, stop?: number, step = 1): number[] {
	const [from, to] = stop === undefined ? [0, start] : [start, stop];
	if (step === 0) throw new Error('range() step must not be zero');
	const length = Math.max(0, Math.ceil((to - from) / step));
	if (length > maxElements) refuse(`makes a list of more than ${maxElements} elements`);
	spend(length);
	return Array.from({ length }, (_, index) => from + index * step);
}

function spend(steps: number): void {
	stepsLeft -= steps;
	if (stepsLeft < 0) refuse(`takes more than ${maxSteps} steps`);
}

function refuse(why: string): never {
	throw new TemplateTooExpensive(why);
}
