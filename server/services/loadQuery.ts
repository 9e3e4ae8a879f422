/** Query parameters of load and unload, as both generations of clients send them. */

import { AppError } from '../protocol/index.ts';
import { epField, ttlField } from './loadFields.ts';
import type { LoadWishes } from './models.ts';

/** `unload` (default true), `ttl` in seconds (above 0 it overrides `unload`), `ep`; empty means not said. */
export function parseLoadQuery(query: (name: string) => string | undefined): LoadWishes {
	const unload = parseFlag(query('unload'), 'unload');
	const ttl = query('ttl') ?? '';
	const ttlS =
		ttl === '' ? undefined : ttlField.parse(/^-?\d{1,15}$/.test(ttl) ? Number(ttl) : ttl, 'ttl');
	const provider = epField.parse(query('ep') ?? '', 'ep');
	return {
		...(unload === undefined ? {} : { unload }),
		...(ttlS === undefined ? {} : { ttlS }),
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
