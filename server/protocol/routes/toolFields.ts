/** Tools and the choice among them, in their newer and older forms. */

import type { JsonSchema, ToolChoice, ToolDefinition } from '../chatTypes.ts';
import { asObject, invalid, Refused, read } from './check.ts';
import {
	anything,
	array,
	boolean,
	leaving,
	mapped,
	object,
	oneOf,
	optional,
	requestSchema,
	ruled,
	string,
	unreadFields,
} from './fields.ts';

const maxTools = 128;
/** Characters of one schema. */
const maxSchemaChars = 65_536;
const maxSchemaDepth = 32;

const functionField = object({
	name: string({ minLength: 1, maxLength: 64 }),
	description: optional(string({ maxLength: 65_536 })),
	parameters: optional(anything),
	strict: optional(boolean),
});

/** An array of tools, one tool, or an object that maps names to functions. */
export const toolsField = ruled(
	{
		type: 'array',
		maxItems: maxTools,
		items: {
			type: 'object',
			required: ['type', 'function'],
			properties: { type: { const: 'function' }, function: requestSchema(functionField) },
		},
	},
	(value): ToolDefinition[] => {
		const list = Array.isArray(value)
			? value.map((each, i) => [each, `[${i}]`] as const)
			: spread(value);
		if (list.length > maxTools) throw invalid('', `an array of at most ${maxTools} tools`);
		const tools = list.map(([each, at]) => readTool(each, at));
		const names = new Set<string>();
		for (const [
			index,
			{
				function: { name },
			},
		] of tools.entries()) {
			if (names.has(name))
				throw new Refused(`[${index}]`, () => `Two tools have the name '${name}'.`);
			names.add(name);
		}
		return tools;
	},
);

function spread(value: unknown): [unknown, string][] {
	const found = asObject(value, '');
	if ('type' in found || typeof found['name'] === 'string') return [[found, '']];
	return Object.entries(found).map(([name, each]) => [
		{ name, ...asObject(each, `.${name}`) },
		`.${name}`,
	]);
}

function readTool(value: unknown, path: string): ToolDefinition {
	const found = asObject(value, path);
	// The older form is the bare function.
	if (found['type'] === undefined && found['function'] === undefined)
		return definition(read(functionField, found, path), path);
	if (found['type'] !== undefined && found['type'] !== 'function')
		throw new Refused(
			`${path}.type`,
			(name) =>
				`${name} must be 'function' or 'custom': tools that run on a server do not exist here.`,
			'unsupported_parameter',
		);
	// The Responses interface has name and parameters beside `type`.
	if (found['function'] === undefined) return definition(read(functionField, found, path), path);
	return definition(read(functionField, found['function'], `${path}.function`), `${path}.function`);
}

function definition(
	tool: { name: string; description?: string; parameters?: unknown; strict?: boolean },
	path: string,
): ToolDefinition {
	if (!/^[A-Za-z0-9_.-]+$/.test(tool.name))
		throw invalid(`${path}.name`, 'made of letters, digits, dot, dash and underscore', tool.name);
	const { parameters, ...rest } = tool;
	return {
		type: 'function',
		function: {
			...rest,
			...(parameters === undefined || parameters === null
				? {}
				: { parameters: schemaOf(parameters, `${path}.parameters`) }),
		},
	};
}

/** A JSON Schema of sane size. Whether it compiles shows when the grammar is made. */
export const schemaField = mapped(anything, (value) => schemaOf(value, ''));

function schemaOf(value: unknown, path: string): JsonSchema {
	if (typeof value === 'boolean') return value;
	const found = asObject(value, path);
	if (depthOf(found, 0) > maxSchemaDepth)
		throw invalid(path, `a schema at most ${maxSchemaDepth} levels deep`);
	if (JSON.stringify(found).length > maxSchemaChars)
		throw invalid(path, `a schema of at most ${maxSchemaChars} characters`);
	return found;
}

function depthOf(value: unknown, depth: number): number {
	if (typeof value !== 'object' || value === null || depth > maxSchemaDepth) return depth;
	// Handed over one by one, since a call takes only so many arguments.
	return Object.values(value).reduce<number>(
		(deepest, each) => Math.max(deepest, depthOf(each, depth + 1)),
		depth,
	);
}

const functionName = string({ minLength: 1, maxLength: 64 });
const choiceWords = ['none', 'auto', 'required'] as const;
const plainChoice = object({ type: anything, name: functionName });
const nestedChoice = object({ type: anything, function: object({ name: functionName }) });
const olderChoice = object({ name: functionName, arguments: anything });

const allowedList = object({ mode: oneOf('auto', 'required'), tools: array(anything) });
const listOfAllowed = {
	mode: { enum: ['auto', 'required'] },
	tools: { type: 'array', minItems: 1, maxItems: maxTools, items: { type: 'object' } },
};
/** Chat completions have the list in a field of its own, Responses beside the type. */
export const allowedToolsSchema = {
	type: 'object',
	required: ['type'],
	properties: {
		type: { const: 'allowed_tools' },
		allowed_tools: { type: 'object', properties: listOfAllowed },
		...listOfAllowed,
	},
};

/** `{type: 'allowed_tools', …}`, as either interface writes it. */
export function allowedTools(found: Readonly<Record<string, unknown>>): ToolChoice {
	const nested = found['allowed_tools'] !== undefined;
	const path = nested ? '.allowed_tools' : '';
	const { mode, tools } = read(allowedList, nested ? found['allowed_tools'] : found, path);
	if (tools.length === 0 || tools.length > maxTools)
		throw invalid(`${path}.tools`, `an array of 1 to ${maxTools} tools`);
	const among = tools.map((tool, index) => {
		const at = `${path}.tools[${index}]`;
		const each = asObject(tool, at);
		if (each['type'] !== 'function' && each['type'] !== 'custom')
			throw invalid(`${at}.type`, "'function' or 'custom'", each['type']);
		const inner = each[String(each['type'])];
		return inner === undefined
			? read(functionName, each['name'], `${at}.name`)
			: read(functionName, Object(inner).name, `${at}.${each['type']}.name`);
	});
	return { mode, among };
}

export const toolChoiceField = leaving(
	ruled(
		{
			anyOf: [
				{ type: 'string', enum: choiceWords },
				{
					type: 'object',
					required: ['type', 'function'],
					properties: {
						type: { const: 'function' },
						function: { type: 'object', properties: { name: { type: 'string' } } },
					},
				},
				allowedToolsSchema,
			],
		},
		(value): ToolChoice => {
			// Some clients know `any` as the word for `required`.
			const word = choiceWords.find((each) => each === (value === 'any' ? 'required' : value));
			if (word) return word;
			if (typeof value === 'string')
				throw invalid('', "'none', 'auto', 'required' or a named function", value);
			const found = asObject(value, '');
			if (found['type'] === 'allowed_tools') return allowedTools(found);
			if (found['type'] !== undefined && found['type'] !== 'function')
				throw new Refused(
					'.type',
					(name) =>
						`${name} must be 'function' or 'allowed_tools': a choice names one of the functions, or is 'none', 'auto' or 'required'.`,
					'unsupported_parameter',
				);
			const nested = found['function'] !== undefined;
			const named = nested ? asObject(found['function'], '.function') : found;
			return { name: read(functionName, named['name'], nested ? '.function.name' : '.name') };
		},
	),
	(value, path) =>
		Object(value).type === 'allowed_tools'
			? []
			: unreadFields(
					Object(Object(value).function) === Object(value).function ? nestedChoice : plainChoice,
					value,
					path,
				),
);

/** The older choice of a function, which may also give arguments that the call is to have. */
export interface FunctionCall {
	readonly choice: ToolChoice;
	readonly arguments?: Readonly<Record<string, unknown>>;
}

/** `'none'`, `'auto'`, or `{name?, arguments?}`: `{}` is `'auto'`; arguments without a name want some call with them. */
export const functionCallField = leaving(
	ruled(
		{
			anyOf: [
				{ type: 'string', enum: ['none', 'auto'] },
				{
					type: 'object',
					properties: { name: { type: 'string' }, arguments: { type: ['object', 'string'] } },
				},
			],
		},
		(value): FunctionCall => {
			if (value === 'none' || value === 'auto') return { choice: value };
			if (typeof value === 'string')
				throw invalid('', "'none', 'auto' or {name, arguments}", value);
			const found = asObject(value, '');
			const name = read(optional(functionName), found['name'], '.name');
			const given = argumentsOf(found['arguments'], '.arguments');
			if (given === undefined) return { choice: name === undefined ? 'auto' : { name } };
			return { choice: name === undefined ? 'required' : { name }, arguments: given };
		},
	),
	(value, path) => unreadFields(olderChoice, value, path),
);

/** An object, also as the JSON text that calls have; `undefined` when it is absent or empty. */
function argumentsOf(value: unknown, path: string): Record<string, unknown> | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === 'string' && value.length > maxSchemaChars)
		throw invalid(path, `JSON of at most ${maxSchemaChars} characters`);
	const given = asObject(typeof value === 'string' ? parsedJson(value) : value, path);
	schemaOf(given, path);
	return Object.keys(given).length === 0 ? undefined : given;
}

function parsedJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
