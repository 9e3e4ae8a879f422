/** State of the store for probes: it is written to, and what was written is read again. */

import { ProbedState } from '../observe/probedState.ts';
import type { Store } from './store.ts';

/** `unusable`: it cannot be reached, is full, may only be read, or does not answer in time. */
export type StoreState = 'ok' | 'unusable';

/** @param now a clock that nobody sets */
export const storeProof = (
	store: Pick<Store, 'prove'>,
	now?: () => number,
): ProbedState<StoreState> => new ProbedState('ok', 'unusable', () => store.prove(), now);
