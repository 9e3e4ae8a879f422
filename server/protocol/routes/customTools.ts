/** Tools of chats and Responses: functions, and tools of the caller's own that take a text, which a grammar may hold. */

import type { ToolChoice, ToolDefinition } from '../chatTypes.ts';
import { asObject, invalid, Refused, read } from './check.ts';
import { leaving, object, oneOf, optional, ruled, string, unreadFields } from './fields.ts';
import { allowedToolsSchema, toolChoiceField, toolsField } from './toolFields.ts';

/** The form of a custom tool's input: any text, or what a grammar allows. */
export type CustomFormat =
	| { readonly type: 'text' }
	| {
			readonly type: 'grammar';
			readonly syntax: 'lark' | 'regex';
			readonly definition: string;
	  };

export interface CustomTool {
	readonly type: 'custom';
	readonly name: string;
	readonly description?: string;
	readonly format?: CustomFormat;
	/** Where in the tool the text of its grammar stood, for errors. */
	readonly grammarAt?: string;
}

export type ChatTool = ToolDefinition | CustomTool;

const maxTools = 128;
const formatType = object({ type: oneOf('text', 'grammar') });
const grammarField = object({
	syntax: oneOf('lark', 'regex'),
	definition: string({ minLength: 1, maxLength: 65_536 }),
});
const customType = object({ type: oneOf('custom') });
const toolName = string({ minLength: 1, maxLength: 64 });
const customField = object({
	name: toolName,
	description: optional(string({ maxLength: 65_536 })),
});

const isCustom = (value: unknown): boolean =>
	typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'custom';

/** Chat completions have what a tool is in a member with the name of its type, Responses beside the type. */
type Form = 'nested' | 'flat';

const named = { type: 'object', properties: { name: { type: 'string' } } };
const type = { enum: ['function', 'custom'] };

/** A tool, or a choice of one. */
const toolSchema = (form: Form) => ({
	type: 'object',
	...(form === 'flat'
		? { required: ['type', 'name'], properties: { type, ...named.properties } }
		: { required: ['type'], properties: { type, function: named, custom: named } }),
});

const toolsSchema = (form: Form) => ({
	type: 'array',
	maxItems: maxTools,
	items: toolSchema(form),
});

/** As {@link toolsField}, with custom tools among the functions; either form is read everywhere. */
const toolsIn = (form: Form) =>
	ruled(toolsSchema(form), (value): ChatTool[] => {
		if (!Array.isArray(value) || !value.some(isCustom)) return read(toolsField, value, '');
		if (value.length > maxTools) throw invalid('', `an array of at most ${maxTools} tools`);
		const tools = value.map((each: unknown, index): ChatTool => {
			if (isCustom(each)) return readCustom(each, `[${index}]`);
			const [tool] = read(toolsField, [asObject(each, `[${index}]`)], '');
			return tool as ToolDefinition;
		});
		const names = new Set<string>();
		for (const [index, tool] of tools.entries()) {
			const name = nameOfTool(tool);
			if (names.has(name))
				throw new Refused(`[${index}]`, () => `Two tools have the name '${name}'.`);
			names.add(name);
		}
		return tools;
	});

export const chatTools = toolsIn('nested');
export const responseTools = toolsIn('flat');

function readCustom(value: unknown, path: string): CustomTool {
	read(customType, value, path);
	const { at, found } = partOf(asObject(value, path), 'custom', path);
	const tool = read(customField, found, `${path}${at}`);
	if (!/^[A-Za-z0-9_.-]+$/.test(tool.name))
		throw invalid(
			`${path}${at}.name`,
			'made of letters, digits, dot, dash and underscore',
			tool.name,
		);
	const made = { type: 'custom' as const, ...tool };
	const format = found['format'];
	if (format === undefined || format === null) return made;
	const formatAt = `${at}.format`;
	const { type } = read(formatType, format, `${path}${formatAt}`);
	if (type === 'text') return { ...made, format: { type } };
	const inner = partOf(asObject(format, `${path}${formatAt}`), 'grammar', `${path}${formatAt}`);
	const grammarAt = `${formatAt}${inner.at}`;
	const grammar = read(grammarField, inner.found, `${path}${grammarAt}`);
	return { ...made, format: { type, ...grammar }, grammarAt: `${grammarAt}.definition` };
}

/** The member that has the name, where it is there; else the whole. */
function partOf(found: Record<string, unknown>, name: string, path: string) {
	return found[name] === undefined
		? { at: '', found }
		: { at: `.${name}`, found: asObject(found[name], `${path}.${name}`) };
}

export const nameOfTool = (tool: ChatTool): string =>
	tool.type === 'custom' ? tool.name : tool.function.name;

/** Names of the custom tools among them. */
export const customNames = (tools: readonly ChatTool[] = []): ReadonlySet<string> =>
	new Set(tools.filter(({ type }) => type === 'custom').map(nameOfTool));

/** As {@link toolChoiceField}; `{type: 'custom', …}` names a custom tool. */
const choiceIn = (form: Form) =>
	leaving(
		ruled(
			{
				anyOf: [
					{ type: 'string', enum: ['none', 'auto', 'required'] },
					toolSchema(form),
					allowedToolsSchema,
				],
			},
			(value): ToolChoice => {
				if (!isCustom(value)) return read(toolChoiceField, value, '');
				const { at, found } = partOf(asObject(value, ''), 'custom', '');
				return { name: read(toolName, found['name'], `${at}.name`) };
			},
		),
		(value, path) => (isCustom(value) ? [] : unreadFields(toolChoiceField, value, path)),
	);

export const chatToolChoice = choiceIn('nested');
export const responseToolChoice = choiceIn('flat');
