/** Where and how long a model is loaded, as requests say it: the one reading of `ep` and `ttl` for all doors. */

import {
	type ExecutionProvider,
	executionProviderNames,
	executionProviderOf,
} from '../protocol/index.ts';
import { integer, invalid, mapped, type Parser, string } from '../protocol/parser.ts';

/** Longest idle time that can be asked for: 30 days. */
const maxTtlS = 30 * 86_400;

/** An execution provider in any spelling (`cuda`, `CUDA`, `CUDAExecutionProvider`); empty means none. */
export const epField: Parser<ExecutionProvider | undefined> = mapped(
	string({ maxLength: 40 }),
	(name, path) => {
		if (name === '') return undefined;
		const provider = executionProviderOf(name);
		if (provider === undefined)
			throw invalid(path, `one of ${executionProviderNames.join(', ')}`, name);
		return provider;
	},
);

/** Whole seconds that a model stays loaded after its last request; 0 = as if nothing was said. */
export const ttlField: Parser<number | undefined> = mapped(
	integer({ min: 0, max: maxTtlS }),
	(seconds) => (seconds === 0 ? undefined : seconds),
);
