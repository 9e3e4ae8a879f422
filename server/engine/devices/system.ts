/** The real system behind {@link listGpus}. */

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { programPath } from '../../store/programs.ts';
import type { GpuDeps } from './gpus.ts';

const limitMs = 5000;

export function systemGpuDeps(): GpuDeps {
	return {
		platform: process.platform,
		run: (command, args) =>
			new Promise((resolve) => {
				const program = programPath(command);
				if (program === undefined) return resolve(undefined);
				execFile(
					program,
					[...args],
					{ timeout: limitMs, windowsHide: true, maxBuffer: 1 << 20 },
					(error, stdout) => resolve(error === null ? stdout : undefined),
				);
			}),
		read: (path) => readFile(path, 'utf8').catch(() => undefined),
		list: (path) => readdir(path).catch(() => []),
	};
}
