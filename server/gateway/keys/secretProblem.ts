/** What no secret is, whoever shares it: texts that can be guessed, and texts that were to be replaced. */

const minLength = 16;
/** Random texts of the shortest length have more; `aaaa…` and `abababab…` have not. */
const minDifferent = 6;
const advice = "take what 'openssl rand -hex 32' prints.";

/** Words of examples. None of them can come about in random hex digits. */
const placeholder =
	/replace|change.?me|placeholder|example|insert|fill.?in|your[-_ ]|<[a-z]|\$\{|x{6,}|\.\.\./i;

/** Why a text is no secret, as the rest of a sentence about it; `undefined` when it can be one. */
export function secretProblem(secret: string): string | undefined {
	if (secret.trim() === '') return `is blank; ${advice}`;
	if (secret !== secret.trim() || /[\x00-\x1f\x7f]/.test(secret))
		return 'begins or ends with a blank, or holds the end of a line: leave the letters of the secret alone.';
	if (secret.length < minLength) return `must have ${minLength} characters at least; ${advice}`;
	if (placeholder.test(secret)) return `still is the text of an example; ${advice}`;
	if (new Set(secret).size < minDifferent)
		return `has fewer than ${minDifferent} different characters and could be guessed; ${advice}`;
	return undefined;
}

/** The same for a key of 32 bytes written as hex digits. */
export function hexKeyProblem(key: string): string | undefined {
	if (!/^[0-9a-f]{64,}$/i.test(key)) return `must be 64 hexadecimal digits or more; ${advice}`;
	return secretProblem(key);
}
