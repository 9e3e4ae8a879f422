/**
 * Sentences for callers who do not own the machine: names of files stay, folders go. Every error answer and
 * every error in a stream passes here, so a new sentence needs no thought of who will read it.
 */

import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { type CallerRole, declarations, knowsFolders } from './callerRoles.ts';

/** The server's own addresses: `/v1/models` is no folder. */
const ownAddress = new RegExp(
	`^(?:/v1|/nearglot/|${Object.keys(declarations)
		.map((route) => addressPattern(route.replace(/^\w+ /, '')))
		.join('|')})$`,
);

function escaped(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** A route's path as a pattern; its own patterns stand in braces. */
function addressPattern(path: string): string {
	return path
		.split(/((?<=\/):\w+(?:\{.+?\}(?=\/|$))?)/)
		.map((part, index) => {
			if (index % 2 === 0) return escaped(part);
			const own = part.indexOf('{');
			return own < 0 ? '[^/]+' : part.slice(own + 1, -1);
		})
		.join('');
}

/**
 * An absolute path, of the root, a drive or a share. What stands in quotation marks may hold spaces; without
 * them up to two words may belong to the name of a folder.
 */
const quote = String.raw`["'\x60‘’“”]`;
const start = String.raw`(?:[A-Za-z]:[\\/]|\\\\|/)`;
const letter = String.raw`[^\s"'\x60‘’“”<>|*?()[\]{},;]`;
const absolutePath = new RegExp(
	[
		String.raw`\bfile://${letter}+`,
		String.raw`(?<=${quote})${start}[^"'\x60‘’“”\n]*(?=${quote})`,
		String.raw`(?<![\w.:/\\-])${start}${letter}+(?:(?: [^\s/\\.,:;()"'\x60]+){1,2}[/\\]${letter}*)*`,
	].join('|'),
	'g',
);

/** The text with every absolute path cut down to its last name; of short ones (homes, roots) nothing stays. */
export const withoutPaths = (text: string): string =>
	text.replace(absolutePath, (path) => (isOwnAddress(path) ? path : nameOnly(path)));

function nameOnly(path: string): string {
	const core = withoutMarks(path);
	const names = core
		.split(/[\\/]+/)
		.filter((name) => name !== '' && !/^(?:[A-Za-z]|file):$/.test(name));
	// `/home/alice` and `C:\Users\alice` name a person.
	return `${names.length > 2 ? `…/${names.at(-1)}` : '…'}${path.slice(core.length)}`;
}

/** A path without the marks of the sentence that ends with it. */
function withoutMarks(path: string): string {
	let end = path.length;
	while (end > 0 && '.,:;!?'.includes(path.charAt(end - 1))) end--;
	return path.slice(0, end);
}

const isOwnAddress = (path: string): boolean => ownAddress.test(withoutMarks(path));

/** An error as a caller may read it. */
export function errorFor(caller: CallerRole | undefined, error: AppError): AppError {
	if (knowsFolders(caller)) return error;
	const message = withoutPaths(error.message);
	if (message === error.message) return error;
	return new AppError(error.code, message, {
		...(error.param === null ? {} : { param: error.param }),
		...defined({ data: error.data, retryAfterS: error.retryAfterS }),
	});
}

/**
 * An error answer of whatever form as a caller may read it.
 * @param asked the path of the request: whoever asked for it may read it again
 */
export async function answerFor(
	caller: CallerRole | undefined,
	answer: Response,
	asked: string,
): Promise<Response> {
	if (knowsFolders(caller) || answer.status < 400 || answer.body === null) return answer;
	const text = await answer.text();
	const headers = new Headers(answer.headers);
	headers.delete('content-length');
	const isJson = headers.get('content-type')?.includes('json') ?? false;
	const reading = (sentence: string) => withoutOtherPaths(sentence, asked);
	return new Response(isJson ? changedJson(text, reading) : reading(text), {
		status: answer.status,
		headers,
	});
}

/** Texts are changed as texts: in JSON a backslash of a path is written twice. */
function changedJson(text: string, change: (text: string) => string): string {
	try {
		return JSON.stringify(JSON.parse(text), (_, value: unknown) =>
			typeof value === 'string' ? change(value) : value,
		);
	} catch {
		return change(text);
	}
}

/** {@link withoutPaths}, except for one, where it stands alone. */
function withoutOtherPaths(text: string, kept: string): string {
	const alone = new RegExp(String.raw`(?<![\w.:/\\-])${escaped(kept)}(?=[.,:;!?]?(?:\s|$))`, 'g');
	return text.split(alone).map(withoutPaths).join(kept);
}
