/** The translate interface in OpenAPI terms, for `/openapi.json`: version 3.0 and its successor. */

interface Parameter {
	readonly name: string;
	readonly required?: boolean;
	readonly many?: boolean;
	readonly values?: readonly string[];
	readonly description: string;
}

const version: Parameter = {
	name: 'api-version',
	required: true,
	values: ['3.0'],
	description: 'Version of the interface.',
};
const eitherVersion: Parameter = { ...version, values: ['3.0', '2026-06-06'] };
const flag = ['true', 'false'];
const from: Parameter = { name: 'from', required: true, description: 'Source language.' };
const to: Parameter = { name: 'to', required: true, description: 'Target language.' };

/** Query parameters of `/translate` in version 3.0. */
export const translateQuery: readonly Parameter[] = [
	eitherVersion,
	{
		name: 'to',
		many: true,
		description: 'Target languages, repeated or with commas; version 3.0.',
	},
	{ name: 'from', description: 'Source language; detected when absent.' },
	{ name: 'textType', values: ['plain', 'html'], description: 'What the texts are.' },
	{ name: 'category', description: 'Custom system.' },
	{ name: 'allowFallback', values: flag, description: 'Whether general systems may stand in.' },
	{
		name: 'profanityAction',
		values: ['NoAction', 'Marked', 'Deleted'],
		description: 'What happens to profanity.',
	},
	{ name: 'profanityMarker', values: ['Asterisk', 'Tag'], description: 'How it is marked.' },
	{ name: 'includeAlignment', values: flag, description: 'Which word became which.' },
	{ name: 'includeSentenceLength', values: flag, description: 'Lengths of the sentences.' },
	{ name: 'suggestedFrom', description: 'Language where detection fails.' },
	{ name: 'fromScript', description: 'Script of the texts.' },
	{ name: 'toScript', many: true, description: 'Scripts to write the translations in as well.' },
	{ name: 'ClientTraceId', description: 'GUID of the caller for its logs.' },
	{
		name: 'engine',
		values: ['local', 'team', 'hosted'],
		description: 'Who translates (an addition of Nearglot).',
	},
];

const text = { type: 'string' };
const texts = (more: Readonly<Record<string, object>> = {}): object => ({
	type: 'array',
	items: { type: 'object', required: ['Text'], properties: { Text: text, ...more } },
});
const inputs = {
	type: 'object',
	required: ['inputs'],
	properties: {
		inputs: {
			type: 'array',
			items: {
				type: 'object',
				required: ['text', 'targets'],
				properties: {
					text,
					language: text,
					script: text,
					textType: { enum: ['Plain', 'Html'] },
					targets: {
						type: 'array',
						items: {
							type: 'object',
							required: ['language'],
							properties: {
								language: text,
								script: text,
								deploymentName: text,
								allowFallback: { type: 'boolean' },
								profanityAction: { enum: ['NoAction', 'Marked', 'Deleted'] },
								profanityMarker: { enum: ['Asterisk', 'Tag'] },
							},
						},
					},
				},
			},
		},
	},
};

const failure = {
	description: 'What went wrong; the first three digits of the code are the status.',
	content: {
		'application/json': {
			schema: {
				type: 'object',
				properties: {
					error: {
						type: 'object',
						properties: { code: { type: ['integer', 'string'] }, message: text },
					},
				},
			},
		},
	},
};

const callers = [{ subscriptionKey: [] }, { key: [] }, {}];

function operation(summary: string, query: readonly Parameter[], body?: object): object {
	return {
		summary,
		security: callers,
		parameters: query.map(({ name, required = false, many = false, values, description }) => {
			const one = values ? { enum: values } : text;
			return {
				name,
				in: 'query',
				required,
				description,
				schema: many ? { type: 'array', items: one } : one,
			};
		}),
		...(body
			? { requestBody: { required: true, content: { 'application/json': { schema: body } } } }
			: {}),
		responses: {
			'200': { description: 'The answer.', content: { 'application/json': { schema: {} } } },
			default: failure,
		},
	};
}

/** Paths of the interface; they are mounted below the custom paths as well. */
export const translatorPaths: Readonly<Record<string, Readonly<Record<string, object>>>> = {
	'/translate': {
		post: operation('Translates texts into one or several languages.', translateQuery, {
			oneOf: [texts(), inputs],
		}),
	},
	'/transliterate': {
		post: operation(
			'Writes texts in another script.',
			[
				eitherVersion,
				{ name: 'language', required: true, description: 'Language of the texts.' },
				{ name: 'fromScript', required: true, description: 'Script they are in.' },
				{ name: 'toScript', required: true, description: 'Script to write them in.' },
			],
			texts(),
		),
	},
	'/detect': { post: operation('Tells the language of texts.', [version], texts()) },
	'/breaksentence': {
		post: operation(
			'Lengths of the sentences of texts.',
			[
				version,
				{ name: 'language', description: 'Language of the texts; detected when absent.' },
				{ name: 'script', description: 'Script of the texts.' },
			],
			texts(),
		),
	},
	'/dictionary/lookup': {
		post: operation('Terms of the own glossaries.', [version, from, to], texts()),
	},
	'/dictionary/examples': {
		post: operation(
			'Examples of terms of the own glossaries.',
			[version, from, to],
			texts({ Translation: text }),
		),
	},
	'/languages': {
		get: operation('What can be translated, transliterated and looked up.', [
			eitherVersion,
			{
				name: 'scope',
				many: true,
				values: ['translation', 'transliteration', 'dictionary'],
				description: 'Parts of the list; all when absent.',
			},
		]),
	},
	'/sts/v1.0/issueToken': { post: operation('A token for ten minutes, made from a key.', []) },
};

/** How callers may prove who they are, beside the server's own key. */
export const translatorSecurity = {
	subscriptionKey: { type: 'apiKey', in: 'header', name: 'Ocp-Apim-Subscription-Key' },
} as const;
