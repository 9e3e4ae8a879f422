/** Where and how long a model is loaded, as requests say it: the one reading of `ep`, `exact` and `ttl` for all doors. */

import { executionProviderNames, executionProviderOf } from '../executionProviders.ts';
import type { ExecutionProvider } from './answers.ts';
import { invalid } from './check.ts';
import { boolean, integer, mapped, optional, string } from './fields.ts';

/** Longest idle time that can be asked for: 30 days. */
const maxTtlS = 30 * 86_400;

/** An execution provider in any spelling (`cuda`, `CUDA`, `CUDAExecutionProvider`); empty means none. */
export const epField = mapped(string({ maxLength: 40 }), (name): ExecutionProvider | undefined => {
	if (name === '') return undefined;
	const provider = executionProviderOf(name);
	if (provider === undefined)
		throw invalid('', `one of ${executionProviderNames.join(', ')}`, name);
	return provider;
});

/** Whole seconds that a model stays loaded after its last request; 0 = as if nothing was said. */
export const ttlField = mapped(integer({ min: 0, max: maxTtlS }), (seconds) =>
	seconds === 0 ? undefined : seconds,
);

/** Fields of a request that say where and how long its model is loaded. */
export const loadFields = {
	ep: optional(epField),
	exact: optional(boolean),
	ttl: optional(ttlField),
};
