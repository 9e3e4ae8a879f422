/** Query parameters of load and unload, as both generations of clients send them. */

import { AppError, type ExecutionProvider } from '../protocol/index.ts';
import type { LoadWishes } from './models.ts';

/** Longest idle time that can be asked for: 30 days. */
const longestTtlS = 30 * 86_400;

const providers: Readonly<Record<string, ExecutionProvider>> = {
	cpu: 'cpu',
	cuda: 'cuda',
	dml: 'dml',
	directml: 'dml',
	webgpu: 'webgpu',
	coreml: 'coreml',
	qnn: 'qnn',
};

/**
 * An execution provider in any spelling (`cuda`, `CUDA`, `CUDAExecutionProvider`). Empty and absent
 * mean none; anything else unknown is a 400.
 */
export function parseExecutionProvider(value: unknown): ExecutionProvider | undefined {
	if (value == null || value === '') return undefined;
	const key =
		typeof value === 'string' ? value.toLowerCase().replace(/executionprovider$/, '') : '';
	const provider = Object.hasOwn(providers, key) ? providers[key] : undefined;
	if (provider !== undefined) return provider;
	throw new AppError(
		'invalid_request',
		`'ep' must be one of ${Object.keys(providers).join(', ')}, not ${JSON.stringify(value).slice(0, 60)}.`,
		{ param: 'ep' },
	);
}

/** `unload` (default true), `ttl` in seconds (above 0 it overrides `unload`), `ep`. */
export function parseLoadQuery(query: (name: string) => string | undefined): LoadWishes {
	const unload = parseFlag(query('unload'), 'unload');
	const ttl = query('ttl');
	if (ttl !== undefined && ttl !== '' && !(/^-?\d{1,9}$/.test(ttl) && Number(ttl) <= longestTtlS))
		throw new AppError(
			'invalid_request',
			`'ttl' must be a whole number of seconds up to ${longestTtlS}, not '${ttl.slice(0, 40)}'.`,
			{ param: 'ttl' },
		);
	const provider = parseExecutionProvider(query('ep'));
	return {
		...(unload === undefined ? {} : { unload }),
		...(ttl === undefined || ttl === '' ? {} : { ttlS: Number(ttl) }),
		...(provider === undefined ? {} : { executionProvider: provider }),
	};
}

/** `true`, `false`, `1`, `0` in any case; empty and absent mean "not said". */
export function parseFlag(value: string | undefined, param: string): boolean | undefined {
	if (value === undefined || value === '') return undefined;
	if (/^(true|1)$/i.test(value)) return true;
	if (/^(false|0)$/i.test(value)) return false;
	throw new AppError('invalid_request', `'${param}' must be true or false.`, { param });
}
