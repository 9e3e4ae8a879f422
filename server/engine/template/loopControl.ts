/**
 * `break` and `continue` for the template library, which drops what an iteration had written before them.
 * Loop bodies are marked while a template is compiled; nothing else is evaluated differently.
 */

import { Interpreter } from '@huggingface/jinja';

/** What of the library's interpreter is involved. */
interface Evaluator {
	evaluateBlock(statements: object[], environment: object): { value: string };
	evaluate(statement: { type?: unknown } | undefined, environment: object): { type: string };
}

class LoopControl extends Error {
	readonly isBreak: boolean;
	/** What the iteration had written so far. */
	written = '';

	constructor(isBreak: boolean) {
		super('break or continue outside of a loop');
		this.isBreak = isBreak;
	}
}

/** Bodies of the loops of compiled templates. */
const bodies = new WeakSet<object>();
/** Environments of loop runs that met a `break`. */
const ended = new WeakSet<object>();

/** Marks the body of a loop. */
export function markLoopBody(body: unknown): void {
	if (typeof body === 'object' && body !== null) bodies.add(body);
}

const library = Interpreter.prototype as unknown as Evaluator;
const { evaluate, evaluateBlock } = library;

library.evaluate = function (this: Evaluator, statement, environment) {
	if (statement?.type === 'Break' || statement?.type === 'Continue') {
		throw new LoopControl(statement.type === 'Break');
	}
	return evaluate.call(this, statement, environment);
};

library.evaluateBlock = function (this: Evaluator, statements, environment) {
	const isBody = bodies.has(statements);
	// The library goes on with the next element; after a break there is nothing left to write.
	if (isBody && ended.has(environment)) return evaluateBlock.call(this, [], environment);
	let written = '';
	let last = evaluateBlock.call(this, [], environment);
	try {
		for (const statement of statements) {
			last = evaluateBlock.call(this, [statement], environment);
			written += last.value;
		}
	} catch (error) {
		if (!(error instanceof LoopControl)) throw error;
		error.written = written + error.written;
		if (!isBody) throw error;
		if (error.isBreak) ended.add(environment);
		written = error.written;
	}
	last.value = written;
	return last;
};
