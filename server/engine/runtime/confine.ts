/**
 * Takes rights away from this process, native code included, where Linux offers it (Landlock): files are
 * written below some folders only, no program is started, no TCP connection made or taken. What is read is
 * not limited. Binds the thread that calls and those made from then on, so it comes before any work.
 * Source: Linux, Documentation/userspace-api/landlock.rst.
 */

import { closeSync, existsSync, openSync } from 'node:fs';
import { loadKoffi } from './nativePackages.ts';

/** Numbers of the calls, the same on x64 and arm64. */
const createRuleset = 444;
const addRule = 445;
const restrictSelf = 446;
const versionOnly = 1;
const pathBeneath = 1;
const noNewPrivileges = 38;

const execute = 1n << 0n;
const writeFile = 1n << 1n;
/** Removing and making of whatever a folder can hold: bits 4 to 12. */
const changeFolder = ((1n << 9n) - 1n) << 4n;
const refer = 1n << 13n;
const truncate = 1n << 14n;
const tcp = 0b11n;

/** `O_PATH`: a handle to name the place with, not to read it. */
const pathOnly = 0o10000000;

type Call = (...args: readonly unknown[]) => number | bigint;

/**
 * Confines this process; a second time it can only lose more.
 * @param folders where it may still write; those that are absent are left out
 * @returns whether the system could; `false` leaves everything as it was
 */
export function confine(folders: readonly string[]): boolean {
	if (process.platform !== 'linux') return false;
	try {
		const libc = loadKoffi().load(null);
		// The library handle keeps the functions valid.
		(globalThis as { __nearglotConfine?: unknown }).__nearglotConfine = libc;
		const func = (prototype: string) => libc.func(prototype) as unknown as Call;
		const create = func('long syscall(long number, void* attributes, size_t size, uint32_t flags)');
		const add = func(
			'long syscall(long number, int rules, int kind, void* attributes, uint32_t flags)',
		);
		const restrict = func('long syscall(long number, int rules, uint32_t flags)');
		const control = func('int prctl(int option, ulong a, ulong b, ulong c, ulong d)');
		const version = Number(create(createRuleset, null, 0, versionOnly));
		if (version < 1) return false;
		const later = (version >= 2 ? refer : 0n) | (version >= 3 ? truncate : 0n);
		const inFolders = writeFile | changeFolder | later;
		const attributes = new BigUint64Array([inFolders | execute, version >= 4 ? tcp : 0n]);
		// Earlier versions do not know the second field.
		const size = version >= 4 ? 16 : 8;
		const rules = Number(create(createRuleset, Buffer.from(attributes.buffer), size, 0));
		if (rules < 0) return false;
		try {
			const allow = (path: string, rights: bigint): void => {
				if (!existsSync(path)) return;
				const handle = openSync(path, pathOnly);
				try {
					const rule = Buffer.alloc(12);
					rule.writeBigUInt64LE(rights, 0);
					rule.writeInt32LE(handle, 8);
					if (Number(add(addRule, rules, pathBeneath, rule, 0)) < 0)
						throw new Error(`no rule for ${path}`);
				} finally {
					closeSync(handle);
				}
			};
			for (const folder of folders) allow(folder, inFolders);
			allow('/dev/null', inFolders & (writeFile | truncate));
			return (
				Number(control(noNewPrivileges, 1, 0, 0, 0)) === 0 &&
				Number(restrict(restrictSelf, rules, 0)) === 0
			);
		} finally {
			closeSync(rules);
		}
	} catch {
		// No koffi, or a C library without these calls: the other walls stand.
		return false;
	}
}
