/** Slows down callers whose sign-ins keep failing. */

import { AppError } from '../../protocol/errors.ts';
import type { Exchange } from './exchange.ts';

/** @throws AppError `rate_limited` when the address had too many failures in the last minute. */
export function checkLimit({ context, head }: Exchange): void {
	const waitS = context.failures.waitS(head.clientIp);
	if (waitS === 0) return;
	context.metrics.add('nearglot_gateway_rate_limited_total');
	throw new AppError('rate_limited', `Too many failed tries from this address. Wait ${waitS} s.`, {
		retryAfterS: waitS,
	});
}

export function noteTry({ context, head }: Exchange): void {
	context.failures.fail(head.clientIp);
}
