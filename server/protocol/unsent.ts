/** Failures that say nothing of what was asked for: whoever would have had to do it has not seen it, or looks at nobody's requests. */

import type { AppError, AppErrorOptions } from './errors.ts';

/** Header of an answer whose body has codes of another interface: the one of this product, by which a batch knows what to do. */
export const errorCodeHeader = 'x-nearglot-error';

/** Header of an answer that is such a failure. */
export const unsentHeader = 'x-nearglot-unsent';

/** Options of such an error. */
export const unsent = { data: { unsent: true } } as const satisfies AppErrorOptions;

export const isUnsent = ({ data }: Pick<AppError, 'data'>): boolean => data?.['unsent'] === true;
