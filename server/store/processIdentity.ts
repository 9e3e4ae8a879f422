/** What tells a process from every other one, also from a later one with the same number. */

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
	readonly pid: number;
	readonly host: string;
	/** Where numbers of processes mean something: start of the machine and its namespace of processes. */
	readonly space?: string;
	/** When the process began, in ticks of the system; only Linux says so without another program. */
	readonly began?: string;
}

let own: ProcessIdentity | undefined;

export function thisProcess(): ProcessIdentity {
	own ??= { pid: process.pid, host: hostname(), ...spaceOf(), ...beganOf(process.pid) };
	return own;
}

/**
 * Whether a process lives; `undefined` when this one cannot know: it ran on another machine, in another
 * container, or its number may have been given to another program since.
 */
export function lives(other: ProcessIdentity): boolean | undefined {
	if (!isHere(other)) return undefined;
	if (!isAlive(other.pid)) return false;
	if (other.began === undefined) return undefined;
	const began = beganOf(other.pid)?.began;
	return began === undefined ? undefined : began === other.began;
}

/** Whether numbers of processes mean the same to the other one as to this one. */
export function isHere(other: ProcessIdentity): boolean {
	const { host, space } = thisProcess();
	return other.host === host && other.space === space;
}

/** Whether some process has this number, and has not ended: one whose parent does not look keeps its number. */
export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return !/^[ZX]$/.test(fieldsOf(pid)?.[0] ?? '');
	} catch (error) {
		return error instanceof Error && 'code' in error && error.code === 'EPERM';
	}
}

function spaceOf(): { readonly space: string } | undefined {
	try {
		const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
		return { space: `${boot} ${readlinkSync('/proc/self/ns/pid')}` };
	} catch {
		return undefined;
	}
}

function beganOf(pid: number): { readonly began: string } | undefined {
	const began = fieldsOf(pid)?.[19];
	return began === undefined ? undefined : { began };
}

/** What Linux says of a process, from its state on. */
function fieldsOf(pid: number): string[] | undefined {
	try {
		// The name in brackets may itself hold blanks and brackets.
		return readFileSync(`/proc/${pid}/stat`, 'utf8')
			.replace(/^.*\) /s, '')
			.split(' ');
	} catch {
		return undefined;
	}
}
