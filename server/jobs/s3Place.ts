/** A place in S3, as it is written: `s3://bucket/folder`. */

import { AppError } from '../protocol/index.ts';

export interface S3Place {
	readonly bucket: string;
	/** Before every key; empty, or with a slash at its end. */
	readonly prefix: string;
	/** Of another service than Amazon's. */
	readonly endpoint: string | undefined;
	/** The bucket is part of the path and not of the host. */
	readonly pathStyle: boolean;
}

/** Reads `s3://bucket[/prefix][?endpoint=https://…]`. @throws AppError `invalid_request` */
export function s3PlaceOf(url: string): S3Place {
	const found = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?]*))?(?:\?(.*))?$/.exec(url);
	const [, bucket, path = '', query = ''] = found ?? [];
	const options = new URLSearchParams(query);
	const endpoint = options.get('endpoint') ?? undefined;
	let prefix = path;
	while (prefix.endsWith('/')) prefix = prefix.slice(0, -1);
	const isKnown = [...options.keys()].every((key) => key === 'endpoint');
	const isUrl = endpoint === undefined || /^https?:\/\/[^\s/]+\/?$/.test(endpoint);
	if (bucket !== undefined && isKnown && isUrl && (prefix === '' || /^[\w./-]+$/.test(prefix)))
		return {
			...{ bucket, prefix: prefix === '' ? '' : `${prefix}/` },
			...{ endpoint, pathStyle: endpoint !== undefined },
		};
	throw new AppError(
		'invalid_request',
		`'${url.slice(0, 200)}' is no place in S3: write s3://bucket, s3://bucket/folder, or s3://bucket?endpoint=https://host for another service than Amazon's.`,
	);
}
