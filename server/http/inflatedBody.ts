/** Bodies as they were before they were compressed for their journey. */

import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { AppError } from '../protocol/index.ts';
import { Places } from '../work/places.ts';

const inflaters = {
	gzip: promisify(gunzip),
	'x-gzip': promisify(gunzip),
	deflate: promisify(inflate),
	br: promisify(brotliDecompress),
};

/** How a body was compressed. */
export type BodyEncoding = keyof typeof inflaters;

/** As many at once as there are processors: each may take some megabytes for what it remembers. */
const places = new Places(availableParallelism());

/**
 * The way a body was compressed; `undefined` for one that was not.
 * @throws AppError `unsupported_media_type`
 */
export function bodyEncoding(header: string | undefined): BodyEncoding | undefined {
	const name = header?.trim().toLowerCase() ?? '';
	if (name === '' || name === 'identity') return undefined;
	if (Object.hasOwn(inflaters, name)) return name as BodyEncoding;
	throw new AppError(
		'unsupported_media_type',
		`The body is compressed in a way that is not read here (Content-Encoding: ${name.slice(0, 40)}); gzip, deflate and br are.`,
	);
}

/**
 * Inflates a body in other threads, and no further than to a limit.
 * @param tooLarge the error for one that grows beyond it
 * @throws AppError `invalid_request` for what is damaged
 */
export async function inflated(
	bytes: Uint8Array<ArrayBuffer>,
	encoding: BodyEncoding,
	limitBytes: number,
	tooLarge: () => AppError,
): Promise<Uint8Array<ArrayBuffer>> {
	using _ = await places.take();
	try {
		return await inflaters[encoding](bytes, { maxOutputLength: limitBytes });
	} catch (error) {
		const code = error instanceof Error && 'code' in error ? error.code : undefined;
		if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
		throw new AppError('invalid_request', `The body is not valid ${encoding} data.`, {
			cause: error,
		});
	}
}
