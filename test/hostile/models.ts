/**
 * What a model's files and a request can hold to keep a server busy. Plain data: a name for people, and
 * the input of about `n` units.
 */

/** Fields of tokenizer.json that are not as usual, and a text that makes them costly. */
export interface HostileTokenizer {
	readonly name: string;
	readonly make: (n: number) => {
		readonly tokenizer: Readonly<Record<string, unknown>>;
		readonly text: string;
	};
}

/** A chat template. */
export interface HostileTemplate {
	readonly name: string;
	readonly make: (n: number) => string;
}

/** A JSON schema. */
export interface HostileSchema {
	readonly name: string;
	/** It looks worse than it is: an answer is as good as a refusal. */
	readonly mayFit?: true;
	readonly make: (n: number) => Readonly<Record<string, unknown>>;
}

/** A grammar in EBNF; fields as {@link HostileSchema}. */
export interface HostileGrammar {
	readonly name: string;
	readonly mayFit?: true;
	readonly make: (n: number) => string;
}

const level = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };

/** A pre-tokenizer that cuts at a pattern. */
const cutsAt = (regex: string) => ({
	pre_tokenizer: {
		type: 'Sequence',
		pretokenizers: [{ type: 'Split', pattern: { Regex: regex }, behavior: 'Isolated' }, level],
	},
});

const letters = (n: number) => `${'a'.repeat(n)}!`;

/** A few dozen units keep each of them busy for longer than anybody waits. */
export const hostileTokenizers: readonly HostileTokenizer[] = [
	...['(?:a+)+$', '(a|aa)+$', '(?=((?:a+)+)$)a', '(?<!(?:a+)+b)a(?!(?:a|aa)+$)(?=(?:a*)*$)'].map(
		(regex) => ({
			name: `pre-tokenizer ${regex}`,
			make: (n: number) => ({ tokenizer: cutsAt(regex), text: letters(n) }),
		}),
	),
	{
		name: 'normalizer (?:a+)+$',
		make: (n) => ({
			tokenizer: {
				normalizer: { type: 'Replace', pattern: { Regex: '(?:a+)+$' }, content: 'b' },
			},
			text: letters(n),
		}),
	},
	{
		name: 'normalizers that double the text',
		make: (n) => ({
			tokenizer: {
				normalizer: {
					type: 'Sequence',
					normalizers: Array.from({ length: n }, () => ({
						type: 'Replace',
						pattern: { String: 'a' },
						content: 'aa',
					})),
				},
			},
			text: letters(1),
		}),
	},
	{
		name: 'marks that are put in order',
		make: (n) => ({
			tokenizer: { normalizer: { type: 'NFC' } },
			text: `a${'\u0301\u0323'.repeat(n * 20_000)}`,
		}),
	},
];

/** From about twenty on, each of them takes longer than anybody waits, or more than there is. */
export const hostileTemplates: readonly HostileTemplate[] = [
	{
		name: 'nested loops',
		make: (n) => {
			const depth = Math.ceil(n / 10);
			const open = Array.from({ length: depth }, (_, i) => `{% for x${i} in range(100000) %}`);
			return `${open.join('')}{{ loop.index }}${'{% endfor %}'.repeat(depth)}`;
		},
	},
	{
		name: 'nested loops around nothing',
		make: (n) => {
			const depth = Math.ceil(n / 10);
			const open = Array.from({ length: depth }, (_, i) => `{% for x${i} in range(100000) %}`);
			return open.join('') + '{% endfor %}'.repeat(depth);
		},
	},
	{ name: 'a huge range', make: (n) => `{{ range(${10 ** Math.min(15, n)}) | length }}` },
	{
		name: 'a macro that calls itself twice',
		make: (n) =>
			`{% macro f(d) %}{% if d > 0 %}{{ f(d - 1) }}{{ f(d - 1) }}{% endif %}{% endmacro %}{{ f(${n * 2}) }}`,
	},
	{
		name: 'a macro that calls itself for ever',
		make: () => '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}',
	},
	{
		name: 'a text that doubles',
		make: (n) =>
			`{% set ns = namespace(t='aaaaaaaa') %}{% for i in range(${n * 2}) %}{% set ns.t = ns.t ~ ns.t %}{% endfor %}{{ ns.t }}`,
	},
	{
		name: 'a long join',
		make: (n) =>
			`{% set s = range(${n * 5000}) | join(',') %}{{ range(${n * 5000}) | join(s) | length }}`,
	},
	{
		name: 'a replacement that multiplies',
		make: (n) =>
			`{% set s = range(${n * 5000}) | join('a') %}{% for i in range(100000) %}{{ s | replace('a', s) | length }}{% endfor %}`,
	},
	{
		name: 'a list that holds itself twice, as JSON',
		make: (n) =>
			`{% set ns = namespace(l=[1]) %}{% for i in range(${n * 2}) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l | tojson }}`,
	},
];

/** About a hundred units take far longer to compile than anybody waits. */
export const hostileSchemas: readonly HostileSchema[] = [
	{
		name: 'allOf of objects with anyOf',
		make: (n) => ({
			type: 'object',
			allOf: Array.from({ length: 2 * n }, (_, i) => ({
				type: 'object',
				properties: {
					[`p${i}`]: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
				},
			})),
		}),
	},
	{
		name: 'a repetition of repetitions',
		make: (n) => ({ type: 'string', pattern: `(a{1,${10 * n}}){1,${10 * n}}` }),
	},
	{
		name: 'repetitions beside each other, repeated',
		make: (n) => ({ type: 'string', pattern: `(a{1,${30 * n}}b{1,${30 * n}}){1,${30 * n}}` }),
	},
	{
		name: 'references in a circle',
		mayFit: true,
		make: (n) => ({
			$ref: '#/$defs/d0',
			$defs: Object.fromEntries(
				Array.from({ length: n * 5 }, (_, i) => [
					`d${i}`,
					{
						type: 'object',
						properties: {
							a: { $ref: `#/$defs/d${(i + 1) % (n * 5)}` },
							b: { $ref: `#/$defs/d${(i * 7 + 3) % (n * 5)}` },
						},
					},
				]),
			),
		}),
	},
	{
		name: 'items of items, counted',
		mayFit: true,
		make: (n) => {
			let schema: Record<string, unknown> = { type: 'integer' };
			for (let depth = 0; depth < 5; depth++)
				schema = { type: 'array', items: schema, minItems: n, maxItems: 2 * n };
			return schema;
		},
	},
];

export const hostileGrammars: readonly HostileGrammar[] = [
	{ name: 'a repetition of repetitions', make: (n) => `root ::= ("a"{1,${10 * n}}){1,${10 * n}}` },
	{
		name: 'rules that double',
		mayFit: true,
		make: (n) =>
			[
				'root ::= r0',
				...Array.from({ length: n }, (_, i) => `r${i} ::= r${i + 1} r${i + 1} | "x" r${i + 1}`),
				`r${n} ::= [a-z]{1,100}`,
			].join('\n'),
	},
	{
		name: 'an ambiguity without end',
		mayFit: true,
		make: (n) => `root ::= ${Array.from({ length: n }, () => '("a"* "a"*)*').join(' ')} "b"`,
	},
];
