/** Tries ways to sign in one after the other. Which ways there are is none of its business. */

import { AppError, asAppError } from '../../server/protocol/index.ts';
import type { TeamSession } from './teamApi.ts';

export type SignInFlowName = 'exchange' | 'browser' | 'loopback' | 'device' | 'paste';

export interface SignInFlow {
	readonly name: SignInFlowName;
	/** Whether it can work here and there: kind of window, addresses the server allows. */
	possible(): Promise<boolean>;
	run(): Promise<TeamSession>;
}

/** Asks the person what to do next; `undefined` gives up. */
export type Choose = (
	failed: SignInFlowName,
	reason: AppError,
	next: readonly SignInFlowName[],
) => Promise<SignInFlowName | undefined>;

/**
 * Goes through the ways in their order. One that cannot work is passed over; after one that failed
 * the person chooses among all others that can.
 */
export async function trySignInFlows(
	ways: readonly SignInFlow[],
	choose: Choose,
): Promise<TeamSession> {
	let last: { readonly failed: SignInFlowName; readonly reason: AppError } | undefined;
	let rest = [...ways];
	for (;;) {
		const [way] = rest;
		if (!way) {
			throw (
				last?.reason ??
				new AppError('not_supported', 'This team server offers no way to sign in from an editor.')
			);
		}
		if (!(await way.possible())) {
			rest = rest.slice(1);
			continue;
		}
		try {
			return await way.run();
		} catch (error) {
			last = { failed: way.name, reason: asAppError(error) };
		}
		// Declined for good, with the wish to go on.
		if (!(await way.possible())) {
			rest = rest.slice(1);
			continue;
		}
		const others: SignInFlow[] = [];
		for (const other of inOrderAfter(ways, way)) if (await other.possible()) others.push(other);
		const name = await choose(
			last.failed,
			last.reason,
			others.map((other) => other.name),
		);
		if (name === undefined) throw new AppError('cancelled', undefined, { cause: last.reason });
		rest = others.filter((other) => other.name === name);
	}
}

/** The ways after one first, then those before it, then itself: the page may have been closed by mistake. */
function inOrderAfter(ways: readonly SignInFlow[], way: SignInFlow): readonly SignInFlow[] {
	const at = ways.indexOf(way);
	return [...ways.slice(at + 1), ...ways.slice(0, at), way];
}
