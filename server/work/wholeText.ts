/** Texts of whole characters: what somebody else has sent must not become other letters on its way. */

/** Texts that are UTF-8, without a mark of their order of bytes. @throws TypeError for other bytes */
export const utf8Text = (bytes: Uint8Array): string =>
	new TextDecoder('utf-8', { fatal: true }).decode(bytes);

/** Nothing else brings half of a surrogate pair into a value whose JSON was UTF-8. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** Whether all texts and names of fields in a value consist of whole characters. */
export const isWholeJson = (value: unknown, json: string): boolean =>
	!surrogateEscape.test(json) || isWhole(value);

function isWhole(value: unknown): boolean {
	if (typeof value === 'string') return value.isWellFormed();
	if (typeof value !== 'object' || value === null) return true;
	if (Array.isArray(value)) return value.every(isWhole);
	return Object.entries(value).every(([name, each]) => name.isWellFormed() && isWhole(each));
}
