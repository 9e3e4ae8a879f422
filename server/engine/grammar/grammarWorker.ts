/** Entry point of a grammar thread: compiles one constraint after the other and follows answers in them. */

import { parentPort, workerData } from 'node:worker_threads';
import { type AppError, asAppError, toErrorWire } from '../../protocol/index.ts';
import type { TokenConstraint } from '../sample/constraint.ts';
import { tooExpensive } from '../text/tooExpensive.ts';
import { createConstraintCompiler } from './compileConstraint.ts';
import {
	type FromGrammarThread,
	type GrammarThreadJob,
	positionFields,
	type ToGrammarThread,
} from './grammarMessages.ts';
import { GrammarTooLarge } from './grammarSize.ts';
import { vocabularyOf } from './tokenTable.ts';

const { tokens, format, reasoning, model } = workerData as GrammarThreadJob;
const port = parentPort;
const post = (message: FromGrammarThread) => port?.postMessage(message);
const compile = createConstraintCompiler(vocabularyOf(tokens), format, reasoning);

/** A position in a grammar, and the memory its owner reads it from. */
interface OpenConstraint {
	readonly constraint: TokenConstraint;
	readonly position: Int32Array;
}
const openConstraints = new Map<number, OpenConstraint>();

function show({ constraint, position }: OpenConstraint, change: () => void): void {
	change();
	const mask = constraint.mask();
	if (mask !== null) position.set(mask, positionFields.mask);
	position[positionFields.isTerminated] = constraint.isTerminated() ? 1 : 0;
	Atomics.add(position, positionFields.changes, 1);
	Atomics.notify(position, positionFields.changes);
}

async function start(message: Extract<ToGrammarThread, { kind: 'start' }>): Promise<void> {
	try {
		const { constraint, endTokens, promptEnd } = message.request;
		const compiled = await compile(constraint, endTokens, promptEnd, message.key);
		if (compiled !== undefined) {
			const one = { constraint: compiled, position: new Int32Array(message.position) };
			openConstraints.set(message.id, one);
			show(one, () => {});
		}
		post({ kind: 'started', restricts: compiled !== undefined });
	} catch (error) {
		post({ kind: 'failed', error: toErrorWire(refusalOf(error)) });
	}
}

function refusalOf(error: unknown): AppError {
	if (error instanceof GrammarTooLarge)
		return tooExpensive('schema', model, error.message, { cause: error });
	if (error instanceof RangeError)
		return tooExpensive('schema', model, 'nests too deep', { cause: error });
	return asAppError(error);
}

port?.on('message', (message: ToGrammarThread) => {
	if (message.kind === 'start') {
		void start(message);
		return;
	}
	const one = openConstraints.get(message.id);
	if (one === undefined) return;
	if (message.kind === 'accept') show(one, () => one.constraint.accept(message.token));
	else if (message.kind === 'rollback') show(one, () => one.constraint.rollback(message.count));
	else {
		one.constraint.dispose();
		openConstraints.delete(message.id);
	}
});
post({ kind: 'ready' });
