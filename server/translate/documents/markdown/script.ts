/**
 * JavaScript between braces, in tags, imports and exports of MDX. The reader of MDX asks at every closing brace, and at every
 * empty line of an export, whether the script ends there, and has all of it parsed each time. Here it is read along
 * letter by letter, and only where it may end is the reader let ask.
 */

import { Parser } from 'acorn';
import acornJsx from 'acorn-jsx';
import { mdxjs } from 'micromark-extension-mdxjs';
import type {
	Code,
	Construct,
	ConstructRecord,
	Effects,
	Extension,
	State,
} from 'micromark-util-types';
import { ScriptScanner } from './scriptScanner.ts';

/** MDX as its own reader takes it: surely right, in time that grows with the square of a script's braces. */
export const mdxPlain = mdxjs({ acorn: Parser.extend(acornJsx()), addResult: false });

/**
 * The same in time that grows with the script's length. A script that is read wrong here ends in an error; whoever gets one
 * asks `mdxPlain`.
 */
export const mdxReadAlong: Extension = {
	...mdxPlain,
	flow: readAlong(mdxPlain.flow),
	text: readAlong(mdxPlain.text),
};

function readAlong(record: ConstructRecord | undefined): ConstructRecord {
	const constructs: ConstructRecord = {};
	for (const [code, list] of Object.entries(record ?? {}))
		constructs[code] = [list ?? []].flat().map(constructReadAlong);
	return constructs;
}

/** Brackets around the script of a token; nothing for tokens that hold none. */
const depthOf = (type: string): number | undefined =>
	type === 'mdxjsEsm' ? 0 : /Expression(?:Attribute)?$/.test(type) ? 1 : undefined;
const brace = 0x7d;

/** An inner brace as the reader is shown it: any letter that ends nothing. */
const noBrace = 0x5f;

function constructReadAlong(construct: Construct): Construct {
	return {
		...construct,
		tokenize(effects, ok, nok) {
			let scanner: ScriptScanner | undefined;
			let depth = 0;
			let isOver = false;
			let actual: Code = null;
			const watching: Effects = {
				...effects,
				enter(type, fields) {
					const own = depthOf(type);
					if (own !== undefined) {
						scanner = new ScriptScanner();
						depth = own;
					}
					return effects.enter(type, fields);
				},
				exit(type) {
					if (depthOf(type) !== undefined) scanner = undefined;
					return effects.exit(type);
				},
				consume() {
					scanner?.read(letterOf(actual));
					return effects.consume(actual);
				},
				// At the end of each line: exports ask this way whether an empty one follows.
				check(tried, then, otherwise) {
					scanner?.read('\n');
					if (scanner?.goesOn(depth) && otherwise) return otherwise;
					return effects.check(tried, then, otherwise);
				},
			};
			const watched =
				(state: State): State =>
				(code) => {
					actual = code;
					const isInner = code === brace && scanner?.goesOn(depth) === true;
					const next = state(isInner ? noBrace : code);
					return next && !isOver ? watched(next) : next;
				};
			const leaving =
				(state: State): State =>
				(code) => {
					isOver = true;
					return state(code);
				};
			return watched(construct.tokenize.call(this, watching, leaving(ok), leaving(nok)));
		},
	};
}

function letterOf(code: Code): string {
	if (code === null || code < -2) return '\n';
	return code < 0 ? ' ' : String.fromCharCode(code);
}
