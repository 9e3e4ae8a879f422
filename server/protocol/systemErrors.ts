/**
 * What the operating system refuses, in words: every error with a system code (`ENOSPC`, `EACCES`, …) becomes
 * a sentence that names the file or the address, the reason and the way out. The only place that knows them.
 */

import { AppError, type ErrorCode } from './errors.ts';

/** Fields of an error of the system, as Node gives them. */
interface SystemError extends Error {
	readonly code: string;
	readonly syscall?: string;
	readonly path?: string;
	readonly dest?: string;
	readonly address?: string;
	readonly hostname?: string;
	readonly port?: number;
}

type Trouble = readonly [code: ErrorCode, reason: string, wayOut: string];

const rights = 'Give this user the right to do so, or use another folder.';
const freeSpace = 'Free some space and try again.';

/** Files and folders. The reason follows "X cannot be written: ". */
const fileTroubles: ReadonlyMap<string, Trouble> = new Map(
	Object.entries<Trouble>({
		ENOSPC: ['disk_full', 'there is no space left on its disk', freeSpace],
		EDQUOT: ['disk_full', 'the space this user may fill is used up', freeSpace],
		EFBIG: [
			'disk_full',
			'it would be longer than a file may be here',
			'Raise the limit of the system (ulimit -f), or use another disk.',
		],
		EACCES: ['store_unavailable', 'this user may not do that', rights],
		EPERM: ['store_unavailable', 'this user may not do that', rights],
		EROFS: ['store_unavailable', 'it is on a read-only file system', 'Use another folder.'],
		EIO: ['store_unavailable', 'its disk reports a fault', 'Check the disk and its connection.'],
		EISDIR: [
			'store_unavailable',
			'there is a folder where a file belongs',
			'Move the folder away and try again.',
		],
		ENOTDIR: [
			'store_unavailable',
			'there is a file where a folder belongs',
			'Move the file away and try again.',
		],
		EEXIST: ['store_unavailable', 'something of that name is there', 'Move it away and try again.'],
		ENOTEMPTY: ['store_unavailable', 'the folder is not empty', 'Move it away and try again.'],
		ENOENT: ['store_unavailable', 'it is not there', 'Put it back and try again.'],
		ELOOP: ['store_unavailable', 'its links lead in a circle', 'Remove them and try again.'],
		ENAMETOOLONG: ['store_unavailable', 'its name is too long', 'Use a shorter path.'],
		EBUSY: ['store_unavailable', 'another program uses it', 'End that program and try again.'],
		ETXTBSY: ['store_unavailable', 'another program uses it', 'End that program and try again.'],
		EXDEV: ['store_unavailable', 'it lies on another disk', 'Use a folder on the same disk.'],
		ESTALE: [
			'store_unavailable',
			'its network disk has changed',
			'Mount it again and try once more.',
		],
		EMFILE: [
			'overloaded',
			'this process has as many files open as it may',
			'Try again in a moment, or raise the limit of the system (ulimit -n).',
		],
		ENFILE: [
			'overloaded',
			'the machine has as many files open as it can',
			'Try again in a moment, or end other programs.',
		],
		ENOMEM: [
			'out_of_memory',
			'the machine has no memory left',
			'End other programs and try again.',
		],
	}),
);

/** macOS keeps programs out of some folders of their own user with this code, and reading needs no other right. */
const keptOut: Trouble = [
	'store_unavailable',
	'macOS keeps this program out',
	'Allow the app that started it (the editor, the terminal) in System Settings, Privacy & Security, Files and Folders, or move it out of Desktop, Documents and Downloads.',
];

/** Something new is not missing: the place for it is. */
const noPlace: Trouble = ['store_unavailable', 'nothing can be made there', 'Use another folder.'];

/** Connections. The reason follows "127.0.0.1:80: ". */
const netTroubles: ReadonlyMap<string, Trouble> = new Map(
	Object.entries<Trouble>({
		ECONNREFUSED: [
			'upstream_failed',
			'nothing answers there',
			'Start the program that should, or check the address.',
		],
		ECONNRESET: ['upstream_failed', 'the other side ended the connection', 'Try again.'],
		ECONNABORTED: ['upstream_failed', 'the connection was ended', 'Try again.'],
		EPIPE: ['upstream_failed', 'the other side ended the connection', 'Try again.'],
		ETIMEDOUT: ['timeout', 'it did not answer in time', 'Check the network and try again.'],
		EHOSTUNREACH: ['upstream_failed', 'it cannot be reached', 'Check the network and try again.'],
		ENETUNREACH: [
			'upstream_failed',
			'there is no network to it',
			'Check the network and try again.',
		],
		ENETDOWN: ['upstream_failed', 'the network is down', 'Check the network and try again.'],
		ENOTFOUND: [
			'upstream_failed',
			'there is no host of that name',
			'Check the spelling and the network.',
		],
		EAI_AGAIN: [
			'upstream_failed',
			'its name cannot be looked up now',
			'Check the network and try again.',
		],
		EADDRINUSE: ['port_in_use', 'it is in use already', 'Choose another port.'],
		EADDRNOTAVAIL: [
			'invalid_request',
			'this machine has no such address',
			'Choose one of its own, for example 127.0.0.1.',
		],
	}),
);

/** What was tried, by the system's name for it. */
const verbs: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		open: 'opened',
		read: 'read',
		scandir: 'read',
		readlink: 'read',
		opendir: 'read',
		stat: 'read',
		lstat: 'read',
		fstat: 'read',
		access: 'read',
		write: 'written',
		ftruncate: 'written',
		fsync: 'written',
		mkdir: 'made',
		mkdtemp: 'made',
		symlink: 'made',
		link: 'made',
		rename: 'renamed',
		copyfile: 'copied',
		cp: 'copied',
		unlink: 'removed',
		rm: 'removed',
		rmdir: 'removed',
		chmod: 'changed',
		utime: 'changed',
		spawn: 'started',
	}),
);

/** System error code, e.g. `ENOENT`. */
export function errno(error: unknown): string | undefined {
	return error instanceof Error && 'code' in error && typeof error.code === 'string'
		? error.code
		: undefined;
}

export interface Tried {
	/** File or folder; default: the one the error names. */
	readonly path?: string;
	/** What could not be done with it, `written`; default: what the system was asked for. */
	readonly verb?: string;
	/** What to do where nobody or this user can have a file, as a sentence. */
	readonly elsewhere?: string;
	/** Default: this machine's; pages of a browser have none. */
	readonly platform?: string;
}

/** An error of the system as one with a sentence; `undefined` for any other error. */
export function systemError(error: unknown, tried: Tried = {}): AppError | undefined {
	const found = systemCause(error);
	if (found === undefined) return undefined;
	const { code, syscall = '' } = found;
	const net = netTroubles.get(code);
	if (net !== undefined && found.path === undefined && tried.path === undefined) {
		const [kind, reason, wayOut] = net;
		return new AppError(kind, `${addressOf(found)}: ${reason}. ${wayOut}`, { cause: error });
	}
	const isMade = code === 'ENOENT' && /^mk/.test(syscall);
	const isKeptOut = code === 'EPERM' && isReading(syscall) && platformOf(tried) === 'darwin';
	const known = isMade ? noPlace : isKeptOut ? keptOut : fileTroubles.get(code);
	const [kind, reason, wayOut] = known ?? [
		'store_unavailable',
		`the system refuses with ${code}`,
		'Try again; if it stays so, use another folder.',
	];
	const what = tried.path ?? found.path ?? 'A file of Nearglot';
	const asked = (syscall.startsWith('spawn') ? 'started' : verbs.get(syscall)) ?? 'used';
	const to = found.dest === undefined || tried.path !== undefined ? '' : ` to ${found.dest}`;
	const isElsewhere = /^(EACCES|EPERM|EROFS|ENOTDIR)$/.test(code) && !isKeptOut;
	const advice = isElsewhere ? (tried.elsewhere ?? wayOut) : wayOut;
	const { verb = asked } = tried;
	return new AppError(kind, `${what} cannot be ${verb}${to}: ${reason}. ${advice}`, {
		cause: error,
	});
}

const isReading = (syscall: string): boolean =>
	/^(?:open|opendir|scandir|stat|lstat|copyfile)$/.test(syscall);

const platformOf = (tried: Tried): string | undefined =>
	tried.platform ??
	(globalThis as { readonly process?: { readonly platform?: string } }).process?.platform;

/** What an error says, for a log: a sentence where the system has refused something. */
export const sentenceOf = (error: unknown): string =>
	systemError(error)?.message ?? (error instanceof Error ? error.message : String(error));

/** The reason alone, to follow a colon; `undefined` for an error that is none of the system. */
export function systemReason(error: unknown): string | undefined {
	const code = systemCause(error)?.code;
	if (code === undefined) return undefined;
	return (
		(fileTroubles.get(code) ?? netTroubles.get(code))?.[1] ?? `the system refuses with ${code}`
	);
}

/** The error, or the cause of a failed `fetch`, when it is one of the system. */
function systemCause(error: unknown): SystemError | undefined {
	if (!(error instanceof Error) || error instanceof AppError) return undefined;
	// A host with several addresses fails at each of them.
	if (error instanceof AggregateError) return systemCause(error.errors[0]);
	const code = errno(error) ?? '';
	// Node refuses some things itself, in its own words: ERR_FS_EISDIR, ERR_FS_CP_EEXIST.
	const own = /^ERR_FS_(?:CP_)?(E[A-Z]+)$/.exec(code)?.[1];
	if (own !== undefined) {
		const { info = {} } = error as { readonly info?: Partial<SystemError> };
		return Object.assign(new Error(error.message), info, { code: own });
	}
	// Codes of Node itself begin with ERR_; those of the system are E and capitals.
	if (/^E(?!RR_)[A-Z0-9_]+$/.test(code)) return error as SystemError;
	return error instanceof TypeError ? systemCause(error.cause) : undefined;
}

function addressOf({ address, hostname, port }: SystemError): string {
	const host = address ?? hostname;
	if (host === undefined) return 'The connection was lost';
	const shown = host.includes(':') ? `[${host}]` : host;
	return port === undefined || port <= 0 ? shown : `${shown}:${port}`;
}
