/** Patterns for the names of files as shells have them: `*`, `**`, `?`, `[abc]` and `{a,b}`. */

/** Letters of a pattern; what it stands for grows with its braces. */
const maxPattern = 1000;
const maxAlternatives = 64;

export const isGlob = (name: string): boolean =>
	name.length <= maxPattern && (/[*?[\]]/.test(name) || choiceIn(name) !== undefined);

/** The first innermost `{a,b}`: where it stands, and its parts. */
function choiceIn(pattern: string): { start: number; end: number; parts: string[] } | undefined {
	for (let end = pattern.indexOf('}'); end >= 0; end = pattern.indexOf('}', end + 1)) {
		const start = pattern.lastIndexOf('{', end);
		const inner = start < 0 ? '' : pattern.slice(start + 1, end);
		if (inner.includes(',') && !inner.includes('}')) {
			return { start, end: end + 1, parts: inner.split(',') };
		}
	}
	return undefined;
}

/** The folder below which all files of a pattern lie; empty for the present one. */
export function folderOfGlob(pattern: string): string {
	const parts = pattern.split('/');
	const first = parts.findIndex((part) => isGlob(part) || /[{}]/.test(part));
	return parts.slice(0, first < 0 ? -1 : first).join('/') || (pattern.startsWith('/') ? '/' : '');
}

/** How many names deep the files of a pattern lie at most. */
export const depthOfGlob = (pattern: string): number =>
	/\*\*|[{}]/.test(pattern) ? Number.POSITIVE_INFINITY : pattern.split('/').length;

/** Tells whether a path (with `/`) is meant by a pattern; capitals count where the system's own shell lets them. */
export function globMatcher(
	pattern: string,
	ignoresCase = process.platform === 'win32',
): (path: string) => boolean {
	const flags = ignoresCase ? 'iu' : 'u';
	const patterns = alternatives(pattern).map((one) => new RegExp(`^${sourceOf(one)}$`, flags));
	return (path) => patterns.some((one) => one.test(path));
}

function alternatives(pattern: string): string[] {
	let made = [pattern];
	for (;;) {
		const next = made.flatMap((one) => {
			const choice = choiceIn(one);
			if (choice === undefined) return [one];
			const { start, end, parts } = choice;
			return parts.map((part) => one.slice(0, start) + part + one.slice(end));
		});
		if (next.length === made.length || next.length > maxAlternatives) return made;
		made = next;
	}
}

function sourceOf(pattern: string): string {
	let out = '';
	// Runs of stars mean what the longest of them means, and would be slow to match one by one.
	const calm = pattern.replace(/\*{3,}/g, '**').replace(/(?:\*\*\/){2,}/g, '**/');
	for (let at = 0; at < calm.length; ) {
		const rest = calm.slice(at);
		const [set] = /^\[!?[^\]/]+\]/.exec(rest) ?? [];
		if (rest.startsWith('**/')) {
			out += '(?:.*/)?';
			at += 3;
		} else if (rest.startsWith('**')) {
			out += '.*';
			at += 2;
		} else if (set !== undefined) {
			const inner = set
				.slice(1, -1)
				.replace(/^!/, '^')
				.replace(/[\\[\]&~]/g, '\\$&');
			out += `[${inner}]`;
			at += set.length;
		} else {
			const letter = String.fromCodePoint(rest.codePointAt(0) ?? 0);
			if (letter === '*') out += '[^/]*';
			else if (letter === '?') out += '[^/]';
			else out += letter.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
			at += letter.length;
		}
	}
	return out;
}
