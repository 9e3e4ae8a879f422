/**
 * Where a path leads when every link in it is followed; the one place that asks. Windows tells it of an open file, and
 * drives that programs put up (RAM disks, vaults, shares of clouds) do not answer: there the links are followed one by one.
 */

import { realpath as byLinks } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errno } from '../protocol/index.ts';

/** The system below: tests put that of another machine in its place. */
export interface LinkSystem {
	readonly platform: NodeJS.Platform;
	/** As the system itself tells it. */
	native(path: string): Promise<string>;
	/** As the links say, part by part. */
	byLinks(path: string): Promise<string>;
}

/** What is the same however it is asked. */
const certain = new Set(['ENOENT', 'ENOTDIR', 'ELOOP']);

/** Rejects with the system's own errors: `ENOENT` where there is nothing, or a link to nothing. */
export const pathResolver =
	({ platform, ...system }: LinkSystem) =>
	async (path: string): Promise<string> => {
		try {
			return await system.native(path);
		} catch (error) {
			if (platform !== 'win32' || certain.has(errno(error) ?? '')) throw error;
			return await system.byLinks(path);
		}
	};

/** {@link pathResolver} on this machine. */
export const realPath = pathResolver({
	platform: process.platform,
	native: (path) => realpath(path),
	byLinks: promisify(byLinks),
});
