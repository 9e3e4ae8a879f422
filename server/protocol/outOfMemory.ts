/** Whether a process or a library ran out of memory, by what each system and C++ library says of it. */

/** glibc and libc++, Microsoft's library, ONNX Runtime, V8, Windows. */
const words =
	/bad_alloc|bad allocation|failed to allocate|cannot allocate|out of memory|not enough (?:memory|storage)|insufficient system resources/i;

/** Of Windows: no memory left, no room in the paging file, and what V8 ends with. */
const endCodes = new Set([0xc0000017, 0xc000012d, 0xe0000008]);

export const saysOutOfMemory = (text: string): boolean => words.test(text);

/** @param code as a process ended with, `null` when a signal ended it */
export const endsOutOfMemory = (code: number | null): boolean =>
	code !== null && endCodes.has(code);

/** `3221225477` tells nobody anything; as `0xC0000005` it can be looked up. */
export const endCodeText = (code: number | null): string =>
	code !== null && code > 0xffff ? `0x${code.toString(16).toUpperCase()}` : String(code);
