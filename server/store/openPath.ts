/**
 * Opening, reading, linking and copying of files that the product keeps, the one place for them: `backoff.ts` says
 * why they are tried again.
 */

import { openSync } from 'node:fs';
import { cp, type FileHandle, link, open, readFile, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { AppError, errno } from '../protocol/index.ts';
import { Backoff, sleepNow, type Wanted, withBackoff } from './backoff.ts';

export interface CopyOptions {
	readonly recursive?: boolean;
	/** Copies what links lead to. */
	readonly dereference?: boolean;
	readonly verbatimSymlinks?: boolean;
	readonly filter?: (source: string) => boolean | Promise<boolean>;
}

export interface PathOpener {
	/** Rejects with the system's own errors. */
	open(path: string, flags?: string | number, mode?: number): Promise<FileHandle>;
	/** All of a file as text in UTF-8. Rejects with the system's own errors. */
	readText(path: string): Promise<string>;
	/** All of a file. Rejects with the system's own errors. */
	readBytes(path: string): Promise<Buffer>;
	/** Whether a path leads to a plain file, not to a folder or a pipe. Rejects with the system's own errors. */
	isPlainFile(path: string): Promise<boolean>;
	/**
	 * Gives a file a second name where there is none of that name. Rejects with the system's own errors, and with
	 * AppError `store_unavailable` on drives without hard links.
	 */
	link(path: string, second: string): Promise<void>;
	/** A file or a folder; what was copied already is copied again after a wait. Rejects with the system's own errors. */
	copy(from: string, to: string, options?: CopyOptions): Promise<void>;
	/** {@link open} for code that cannot wait otherwise: it holds the thread. @returns the system's number of the file */
	openNow(path: string, flags: string | number, mode?: number): number;
}

/** The system below: tests put that of another machine in its place. */
export interface OpenSystem {
	readonly platform: NodeJS.Platform;
	open(path: string, flags: string | number, mode?: number): Promise<FileHandle>;
	readFile(path: string): Promise<Buffer>;
	stat(path: string): Promise<{ isFile(): boolean }>;
	link(path: string, second: string): Promise<void>;
	cp(from: string, to: string, options: CopyOptions): Promise<void>;
	openSync(path: string, flags: string | number, mode?: number): number;
	sleep(milliseconds: number): Promise<unknown>;
	sleepNow(milliseconds: number): void;
}

/**
 * What Windows refuses to open for `EPERM` is being removed, looked at, or not this user's: the last does not pass.
 * Milliseconds.
 */
const doubtfulMs = 2000;

/** What systems say where a file system has no hard links; Windows speaks of a wrong function, read as EISDIR. */
const noSecondNames = new Set(['EISDIR', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** @throws AppError `store_unavailable` from each, on Windows, when another program does not let go */
export function pathOpener({ platform, sleep, sleepNow, ...system }: OpenSystem): PathOpener {
	const wait = <Result>(path: string, verb: Wanted['verb'], work: () => Promise<Result>) =>
		withBackoff({ path, verb, doubtfulMs }, work, platform, sleep);
	const readBytes = (path: string) => wait(path, 'opened', () => system.readFile(path));
	return {
		open: (path, flags = 'r', mode) => wait(path, 'opened', () => system.open(path, flags, mode)),
		readBytes,
		isPlainFile: async (path) => (await wait(path, 'opened', () => system.stat(path))).isFile(),
		readText: async (path) => (await readBytes(path)).toString('utf8'),
		link: (path, second) =>
			wait(second, 'made', async () => {
				try {
					await system.link(path, second);
				} catch (error) {
					if (!noSecondNames.has(errno(error) ?? '')) throw error;
					throw new AppError(
						'store_unavailable',
						`The drive of ${second} gives files no second names (hard links), as FAT and exFAT. Choose a folder on another drive, for example with NEARGLOT_HOME.`,
						{ cause: error },
					);
				}
			}),
		copy: (from, to, options = {}) => wait(from, 'copied', () => system.cp(from, to, options)),
		openNow: (path, flags, mode) => {
			const backoff = new Backoff({ path, verb: 'opened', doubtfulMs }, platform);
			for (;;) {
				try {
					return system.openSync(path, flags, mode);
				} catch (error) {
					sleepNow(backoff.pauseAfter(error));
				}
			}
		},
	};
}

const here = pathOpener({
	platform: process.platform,
	open,
	readFile: (path) => readFile(path),
	stat: (path) => stat(path),
	link,
	cp,
	openSync,
	sleep: setTimeout,
	sleepNow,
});

/** {@link PathOpener.open} on this machine. */
export const openPath = here.open;
/** {@link PathOpener.readText} on this machine. */
export const readPathText = here.readText;
/** {@link PathOpener.readBytes} on this machine. */
export const readPathBytes = here.readBytes;
/** {@link PathOpener.isPlainFile} on this machine. */
export const isPlainFile = here.isPlainFile;
/** {@link PathOpener.link} on this machine. */
export const linkPath = here.link;
/** {@link PathOpener.copy} on this machine. */
export const copyPath = here.copy;
/** {@link PathOpener.openNow} on this machine. */
export const openPathNow = here.openNow;
