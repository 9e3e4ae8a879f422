/**
 * Whether a process or a library ran out of memory: by numbers where there are any, as Windows says it in the language
 * of its user, and else by what is said in English everywhere.
 */

import { errno } from './systemErrors.ts';

/** glibc and libc++, Microsoft's library, ONNX Runtime, V8, libuv. */
const words =
	/bad_alloc|bad allocation|failed to allocate|(?:cannot|could not) allocate|allocation failed|out of memory|not enough memory/i;

/**
 * Of Windows: no memory, no memory, no resources, no quota, no room in the paging file. The library says `errcode = 8` or
 * `error code: 8`, what calls Windows itself `Win32 error 8`.
 */
const windowsNumbers = /\b(?:errcode =|error code:|win32 error) (?:8|14|1450|1453|1455)\b/i;
/** The same as results of calls to devices: `HRESULT=0x8007000E`, or without `0x`. */
const windowsResults = /\b(?:0x)?(?:8007000E|800705AA|800705AD|800705AF)\b/i;

/** Of Windows: no memory left, no resources, no room in the paging file, and what V8 ends with. */
const endCodes = new Set([0xc0000017, 0xc000009a, 0xc000012d, 0xe0000008]);

/** @param said an error, or what a process has written */
export function saysOutOfMemory(said: unknown): boolean {
	if (errno(said) === 'ENOMEM') return true;
	const text = said instanceof Error ? said.message : String(said);
	return words.test(text) || windowsNumbers.test(text) || windowsResults.test(text);
}

/** @param code as a process ended with, `null` when a signal ended it */
export const endsOutOfMemory = (code: number | null): boolean =>
	code !== null && endCodes.has(code);

/** `3221225477` tells nobody anything; as `0xC0000005` it can be looked up. */
export const endCodeText = (code: number | null): string =>
	code !== null && code > 0xffff ? `0x${code.toString(16).toUpperCase()}` : String(code);
