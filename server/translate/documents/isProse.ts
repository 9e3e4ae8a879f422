/** Values of data files that are words for people, as against addresses, colours and identifiers. */

const notProse =
	/^(?:[a-z][a-z\d+.-]*:\/\/\S*|#[\da-f]{3,8}|[\w.-]+\/[\w./-]*|[A-Z\d_]+|[\w-]+\.[\w.-]+)$/;

/** Whether a value reads like words. */
export function isProse(value: string): boolean {
	return /\p{L}{2}/u.test(value) && !notProse.test(value);
}
