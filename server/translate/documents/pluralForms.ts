/** `Plural-Forms` of gettext: reading the expressions, and writing the one of a language. */

import { rulesOf } from './pluralNumbers.ts';

export interface PluralForms {
	/** As it stands in a header: `nplurals=2; plural=(n != 1);`. */
	readonly source: string;
	readonly count: number;
	/** Number of the form for `n` things, from 0. */
	readonly formOf: (n: number) => number;
	/** By form: whole numbers up to 200 that take it, 0 last. */
	readonly numbers: readonly (readonly number[])[];
}

/** Known formulas; the first that sorts numbers as CLDR does is the one of a language. */
const formulas = [
	'nplurals=1; plural=0;',
	'nplurals=2; plural=(n != 1);',
	'nplurals=2; plural=(n > 1);',
	'nplurals=2; plural=(n%10==1 && n%100!=11 ? 0 : 1);',
	'nplurals=2; plural=(n==1 || n==2 || n==3 || (n%10!=4 && n%10!=6 && n%10!=9) ? 0 : 1);',
	'nplurals=2; plural=(n>1 && (n<11 || n>99) ? 1 : 0);',
	'nplurals=3; plural=(n==1 ? 0 : n==2 ? 1 : 2);',
	'nplurals=3; plural=(n==0 ? 0 : n==1 ? 1 : 2);',
	'nplurals=3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2);',
	'nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);',
	'nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);',
	'nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<11 || n%100>19) ? 1 : 2);',
	'nplurals=3; plural=(n%10==0 || (n%100>=11 && n%100<=19) ? 0 : n%10==1 && n%100!=11 ? 1 : 2);',
	'nplurals=3; plural=(n==1 ? 0 : n==0 || (n%100>0 && n%100<20) ? 1 : 2);',
	'nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);',
	'nplurals=4; plural=(n==1 || n==11 ? 0 : n==2 || n==12 ? 1 : n>2 && n<20 ? 2 : 3);',
	'nplurals=5; plural=(n==1 ? 0 : n==2 ? 1 : n>2 && n<7 ? 2 : n>6 && n<11 ? 3 : 4);',
	'nplurals=5; plural=(n==1 ? 0 : n==2 ? 1 : n==0 || (n%100>2 && n%100<11) ? 2 : n%100>10 && n%100<20 ? 3 : 4);',
	'nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);',
	'nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n==3 ? 3 : n==6 ? 4 : 5);',
];

/** No language has more. */
const maxForms = 6;
const tested = Array.from({ length: 201 }, (_, n) => n);

/** The forms of a language by CLDR, or `undefined` when it has no rules or none of the formulas. */
export function pluralFormsOf(language: string): PluralForms | undefined {
	const rules = rulesOf(language, 'cardinal');
	if (!rules) return undefined;
	return formulas
		.map((formula) => parsePluralForms(formula))
		.find((forms) => {
			if (!forms) return false;
			const pairs = tested.map((n) => [rules.select(n), forms.formOf(n)] as const);
			const categories = new Set(pairs.map(([category]) => category)).size;
			const joint = new Set(pairs.map((pair) => pair.join(' '))).size;
			return categories === forms.count && joint === forms.count;
		});
}

/** Reads the value of a header line, or `undefined` when it is no valid expression. */
export function parsePluralForms(source: string): PluralForms | undefined {
	const [, digits, expression] =
		/^\s*nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=([^;]{1,500});?\s*$/.exec(source) ?? [];
	const count = Number(digits);
	if (expression === undefined || count < 1 || count > maxForms) return undefined;
	const formula = compile(expression);
	if (!formula) return undefined;
	const formOf = (n: number) => Math.min(count - 1, Math.max(0, formula(n)));
	const numbers: number[][] = Array.from({ length: count }, () => []);
	for (const n of [...tested.slice(1), 0]) numbers[formOf(n)]?.push(n);
	return { source: source.trim(), count, formOf, numbers };
}

type Formula = (n: number) => number;

const operators: readonly Readonly<Record<string, (a: number, b: number) => number>>[] = [
	{ '||': (a, b) => Number(a !== 0 || b !== 0) },
	{ '&&': (a, b) => Number(a !== 0 && b !== 0) },
	{ '==': (a, b) => Number(a === b), '!=': (a, b) => Number(a !== b) },
	{
		'<': (a, b) => Number(a < b),
		'>': (a, b) => Number(a > b),
		'<=': (a, b) => Number(a <= b),
		'>=': (a, b) => Number(a >= b),
	},
	{ '+': (a, b) => a + b, '-': (a, b) => a - b },
	{
		'*': (a, b) => a * b,
		'/': (a, b) => (b === 0 ? 0 : Math.trunc(a / b)),
		'%': (a, b) => (b === 0 ? 0 : a % b),
	},
];

/** The subset of C that gettext allows. */
function compile(expression: string): Formula | undefined {
	const tokens = expression.match(/\d+|n|\|\||&&|[=!<>]=|[<>?:()!%*/+-]|\S/g) ?? [];
	let at = 0;
	const fail = (): never => {
		throw new SyntaxError(expression);
	};
	const eat = (token: string) => (tokens[at] === token ? ++at > 0 : fail());
	const ternary = (): Formula => {
		const test = binary(0);
		if (tokens[at] !== '?') return test;
		at++;
		const yes = ternary();
		eat(':');
		const no = ternary();
		return (n) => (test(n) !== 0 ? yes(n) : no(n));
	};
	const binary = (level: number): Formula => {
		const known = operators[level];
		if (!known) return unary();
		let left = binary(level + 1);
		for (let token = tokens[at] ?? ''; Object.hasOwn(known, token); token = tokens[at] ?? '') {
			at++;
			const [operate, first, second] = [known[token], left, binary(level + 1)];
			left = (n) => operate?.(first(n), second(n)) ?? 0;
		}
		return left;
	};
	const unary = (): Formula => {
		const token = tokens[at++] ?? '';
		if (token === '!') {
			const inner = unary();
			return (n) => Number(inner(n) === 0);
		}
		if (token === '(') {
			const inner = ternary();
			eat(')');
			return inner;
		}
		if (token === 'n') return (n) => n;
		return /^\d+$/.test(token) ? () => Number(token) : fail();
	};
	try {
		const formula = ternary();
		return at === tokens.length ? formula : undefined;
	} catch (error) {
		if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
		throw error;
	}
}
