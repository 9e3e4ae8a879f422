/** Grammars of custom tools: what they allow inside of a call, and what is refused by name. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConstraintCompiler } from '../../../server/engine/grammar/compileConstraint.ts';
import { toolFormats } from '../../../server/engine/template/toolFormat.ts';
import { inputGrammar } from '../../../server/services/chat/inputGrammar.ts';
import { byteTextModel } from '../../engine/byteTextModel.ts';

const end = 256;
const compile = createConstraintCompiler(byteTextModel(), toolFormats.hermes);

/** Whether a call with this input may be written to its end. */
async function takes(syntax: 'lark' | 'regex', definition: string) {
	const grammar = inputGrammar(
		{ type: 'grammar', syntax, definition },
		'tools[0].format.definition',
	);
	const tool = {
		...{ type: 'function' as const, inputGrammar: grammar },
		function: { name: 'f', parameters: { type: 'object' } },
	};
	return async (input: string): Promise<boolean> => {
		const compiled = await compile(
			{ kind: 'tools', tools: [tool], choice: 'required', parallel: false },
			[end],
		);
		assert.ok(compiled);
		const call = `<tool_call>\n{"name": "f", "arguments": {"input": ${JSON.stringify(input)}}}\n</tool_call>`;
		try {
			for (const byte of Buffer.from(call)) {
				const mask = compiled.mask();
				if (mask && !allows(mask, byte)) return false;
				compiled.accept(byte);
			}
			return true;
		} finally {
			compiled.dispose?.();
		}
	};
}

const allows = (mask: ArrayLike<number>, id: number): boolean =>
	(((mask[id >> 5] ?? 0) >>> (id & 31)) & 1) === 1;

const cases: readonly (readonly [
	syntax: 'lark' | 'regex',
	definition: string,
	yes: readonly string[],
	no: readonly string[],
])[] = [
	['regex', '[a-z]{2,4}\\d?', ['ab', 'abcd1'], ['a', 'abcde', 'AB', 'ab12']],
	['regex', '^(yes|no)$', ['yes', 'no'], ['maybe', 'yess', '']],
	['regex', '"[^"\\n]*"', ['"hi"', '"a\\b"', '"ä😀"'], ['hi', '"a"b', '"a\nb"']],
	['regex', '.+\\n\\t?(?:x|y)+', ['a"\\\nxyx', 'b\n\tx'], ['a', 'a\n', '\nx']],
	['regex', '[^\\w]+|\\S{3}', ['!?', 'a"c'], ['ab', 'é!']],
	['regex', '\\x41\\u00e9[\\]\\-a]', ['Aé]', 'Aé-', 'Aéa'], ['Aéb', 'aé]']],
	[
		'regex',
		'[一-龥é]{2}|[\\u07f0-\\u0810]x',
		['中文', 'é一', '\u07ffx', '\u0800x'],
		['中', '中文字', 'ab', '\u0811x'],
	],
	['regex', '.{2}', ['a😀', '\u{10ffff}é', '\ud7ff\ue000'], ['😀', 'ééé']],
	[
		'lark',
		'start: expr\nexpr: term (("+"|"-") term)*\nterm: INT | "(" expr ")"\nINT: /[0-9]+/\n%ignore " "',
		['1', '1+2', ' ( 1 + 23 ) - 4 '],
		['', '1+', '(1', 'a'],
	],
	[
		'lark',
		'// a comment\nstart: "SELECT"i name ["WHERE" pair ~ 1..2] ";" -> query\n?name: CNAME\npair: CNAME "=" (SIGNED_NUMBER | ESCAPED_STRING)\n%import common (CNAME, SIGNED_NUMBER)\n%import common.ESCAPED_STRING\n%import common.WS\n%ignore WS',
		['select a;', 'SELECT a_1 WHERE b = -1.5;', 'Select a\nWHERE b="x\\"y" c=2 ;'],
		['select;', 'SELECT a', 'SELECT a WHERE ;'],
	],
	['lark', 'start: "a".."f"+ X?\nX.2: "\\"" | "\\\\n"', ['abc', 'f"', 'a\\n'], ['g', 'a\n']],
	['lark', 'start: start "a" | "b"', ['b', 'baa'], ['a', 'bb']],
	[
		'lark',
		'start: list\nlist: "[" [list ("," list)*] "]"',
		['[]', '[[],[[]]]'],
		['[', '[,]', '[]]'],
	],
];

for (const [syntax, definition, yes, no] of cases)
	test(`${syntax} ${JSON.stringify(definition).slice(0, 70)}`, async () => {
		const fits = await takes(syntax, definition);
		for (const input of yes)
			assert.equal(await fits(input), true, `takes ${JSON.stringify(input)}`);
		for (const input of no) assert.equal(await fits(input), false, `not ${JSON.stringify(input)}`);
	});

test('what cannot be enforced or read is refused by name', () => {
	const refused: readonly (readonly ['lark' | 'regex', string, RegExp])[] = [
		['regex', '(?=a)b', /looking ahead/],
		['regex', '(?<!a)b', /looking behind/],
		['regex', '(a)\\1', /back reference/],
		['regex', '\\bword\\b', /\\b/],
		['regex', '\\p{L}+', /\\p/],
		['regex', 'a++', /possessive/],
		['regex', 'a{5,2}', /repeats 5 to 2/],
		['regex', '(a', /not closed/],
		['regex', 'a)', /too many/],
		['regex', '[z-a]', /range/],
		['regex', '[a', /ends too early/],
		['regex', '*', /repeats nothing/],
		['regex', `${'('.repeat(5000)}${')'.repeat(5000)}`, /levels deep/],
		['lark', 'begin: "a"', /no rule 'start'/],
		['lark', 'start: start', /'start' that contains itself and never ends/],
		['lark', 'start: "a" | b\nb: "(" b ")"', /'b' that contains itself/],
		['lark', 'start: other', /'other', which it does not define/],
		['lark', 'start: "a"\nstart: "b"', /twice/],
		['lark', 'start: _sep{"a", ","}\n_sep{x, y}: x (y x)*', /template|should be/],
		['lark', '%declare A\nstart: A', /%declare/],
		['lark', '%import other.THING\nstart: THING', /import from 'other'/],
		['lark', 'start: /a(?!b)/', /looking ahead/],
		['lark', 'start: /a/x', /flags 'x'/],
		['lark', 'start: "a" @', /cannot be read/],
		['lark', 'start: ("a"', /not closed/],
		['lark', `start: ${'('.repeat(5000)}`, /levels deep/],
	];
	for (const [syntax, definition, message] of refused)
		assert.throws(
			() => inputGrammar({ type: 'grammar', syntax, definition }, 'tools[0].format.definition'),
			(error: Error & { param?: string }) =>
				message.test(error.message) && error.param === 'tools[0].format.definition',
			definition.slice(0, 40),
		);
});

test('grammars made of noise are read or refused, and neither takes long', () => {
	let state = 7;
	const random = (most: number) => {
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return state % most;
	};
	const pieces = [
		'start',
		':',
		'"a"',
		'/b+/',
		'(',
		')',
		'[',
		']',
		'|',
		'*',
		'+',
		'~',
		'3',
		'..',
		'\n',
		'%ignore',
		'\\',
		'{1,3}',
		'^',
		'$',
		'.',
		'?',
		'A',
		'->',
		'%import common.WS',
	];
	for (let n = 0; n < 3000; n++) {
		const text = Array.from({ length: 1 + random(12) }, () => pieces[random(pieces.length)]).join(
			random(2) === 0 ? ' ' : '',
		);
		for (const syntax of ['lark', 'regex'] as const)
			try {
				inputGrammar({ type: 'grammar', syntax, definition: text }, 'p');
			} catch (error) {
				assert.equal(
					(error as { name?: string }).name,
					'AppError',
					`${syntax} ${text}: ${String(error)}`,
				);
			}
	}
});
