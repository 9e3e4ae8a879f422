/** Tries the flows of a sign-in one after the other. Which flows there are is a dependency. */

import {
	AppError,
	asAppError,
	teamStrings,
	translatableError,
} from '../../server/protocol/index.ts';
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
 * Tries the flows in their order. A flow that cannot work is skipped; after one that failed the user
 * chooses among all others that can work.
 */
export async function trySignInFlows(
	flows: readonly SignInFlow[],
	choose: Choose,
): Promise<TeamSession> {
	let last: { readonly failed: SignInFlowName; readonly reason: AppError } | undefined;
	let rest = [...flows];
	for (;;) {
		const [flow] = rest;
		if (!flow) {
			throw last?.reason ?? translatableError('not_supported', teamStrings.noWay);
		}
		if (!(await flow.possible())) {
			rest = rest.slice(1);
			continue;
		}
		try {
			return await flow.run();
		} catch (error) {
			last = { failed: flow.name, reason: asAppError(error) };
		}
		// Declined for good, with the wish to go on.
		if (!(await flow.possible())) {
			rest = rest.slice(1);
			continue;
		}
		const others: SignInFlow[] = [];
		for (const other of inOrderAfter(flows, flow)) if (await other.possible()) others.push(other);
		const name = await choose(
			last.failed,
			last.reason,
			others.map((other) => other.name),
		);
		if (name === undefined) throw new AppError('cancelled', undefined, { cause: last.reason });
		rest = others.filter((other) => other.name === name);
	}
}

/** The flows after one first, then those before it, then itself: the page may have been closed by mistake. */
function inOrderAfter(flows: readonly SignInFlow[], flow: SignInFlow): readonly SignInFlow[] {
	const at = flows.indexOf(flow);
	return [...flows.slice(at + 1), ...flows.slice(0, at), flow];
}
