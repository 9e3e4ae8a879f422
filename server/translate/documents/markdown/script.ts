/**
 * JavaScript between braces in MDX. The reader of MDX asks at every closing brace whether the expression ends there, and
 * has the whole of it parsed each time; most of those braces are seen to be inner ones by counting.
 */

import { type Options, Parser } from 'acorn';
import acornJsx from 'acorn-jsx';

const parser = Parser.extend(acornJsx());

/** What reads scripts for the reader of MDX. */
export const scriptReader = {
	parse: (text: string, options: Options) => parser.parse(text, options),
	parseExpressionAt(text: string, at: number, options: Options) {
		if (endsInside(text, at)) throw unfinished(text);
		return parser.parseExpressionAt(text, at, options);
	},
};

/**
 * Whether an expression surely goes on: a brace or a string in it is still open. Elements, templates, divisions and
 * patterns are not read here; what has them is told to be whole.
 */
export function endsInside(text: string, from = 0): boolean {
	let depth = 0;
	for (let at = from; at < text.length; at++) {
		switch (text.charCodeAt(at)) {
			case 0x22: // "
			case 0x27: {
				const end = endOfString(text, at);
				if (end < 0) return false;
				if (end >= text.length) return true;
				at = end;
				break;
			}
			case 0x7b: // {
				depth++;
				break;
			case 0x7d: // }
				depth--;
				break;
			case 0x2f: // /
			case 0x3c: // <
			case 0x60: // `
				return false;
			default:
		}
	}
	return depth > 0;
}

/** Where a string ends, the text's length if it does not, -1 if its line ends before. */
function endOfString(text: string, start: number): number {
	const quote = text.charCodeAt(start);
	for (let at = start + 1; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === quote) return at;
		if (code === 0x0a || code === 0x0d) return -1;
		if (code === 0x5c) at++;
	}
	return text.length;
}

/** The error of a parser that came to the end of its text. */
function unfinished(text: string): SyntaxError {
	const at = text.length;
	const place = { pos: at, raisedAt: at, loc: { line: 1, column: 0 } };
	return Object.assign(new SyntaxError('Unexpected token'), place);
}
