import { AppError } from '../protocol/index.ts';

/**
 * Waits, but not longer than the caller does; others go on waiting for the same promise.
 * @throws AppError `cancelled` once the signal is aborted
 */
export async function untilAborted<T>(
	promise: Promise<T>,
	signal: AbortSignal | undefined,
): Promise<T> {
	if (!signal) return await promise;
	const { promise: aborted, reject } = Promise.withResolvers<never>();
	const onAbort = () => reject(new AppError('cancelled'));
	if (signal.aborted) onAbort();
	signal.addEventListener('abort', onAbort, { once: true });
	try {
		return await Promise.race([promise, aborted]);
	} finally {
		signal.removeEventListener('abort', onAbort);
	}
}
