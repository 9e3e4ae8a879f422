/** Slows down callers whose sign-ins keep failing, and those who begin too many. */

import { AppError } from '../../protocol/errors.ts';
import type { RateLimit } from '../access/rateLimit.ts';
import type { RequestContext } from './requestContext.ts';

/** @throws AppError `rate_limited` when the address had too many failures in the last minute. */
export function checkRateLimit(exchange: RequestContext): void {
	check(exchange, exchange.context.failures, 'failed tries');
}

export function noteFailedTry({ context, head }: RequestContext): void {
	context.failures.add(head.clientIp);
}

/**
 * Every sign-in of a device takes room in the store, so an address may begin as many as it may fail.
 * @throws AppError `rate_limited`
 */
export function countDeviceStart(exchange: RequestContext): void {
	const { context, head } = exchange;
	check(exchange, context.deviceStarts, 'sign-ins of devices');
	context.deviceStarts.add(head.clientIp);
}

function check({ context, head }: RequestContext, limit: RateLimit, what: string): void {
	const waitS = limit.waitS(head.clientIp);
	if (waitS === 0) return;
	context.metrics.count('nearglot_gateway_rate_limited_total');
	throw new AppError('rate_limited', `Too many ${what} from this address. Wait ${waitS} s.`, {
		retryAfterS: waitS,
	});
}
