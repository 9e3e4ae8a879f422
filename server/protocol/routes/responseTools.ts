/** Tools of Responses: functions, and tools of the caller's own that take a text, which a grammar may hold. */

import type { ToolChoice, ToolDefinition } from '../chatTypes.ts';
import { asObject, invalid, Refused, read } from './check.ts';
import { leaving, object, oneOf, optional, ruled, string } from './fields.ts';
import { allowedToolsSchema, toolChoiceField, toolsField } from './toolFields.ts';

/** The form of a custom tool's input: any text, or what a grammar allows. */
export interface CustomFormat {
	readonly type: 'text' | 'grammar';
	readonly syntax?: 'lark' | 'regex';
	readonly definition?: string;
}

export interface CustomTool {
	readonly type: 'custom';
	readonly name: string;
	readonly description?: string;
	readonly format?: CustomFormat;
}

export type ResponseTool = ToolDefinition | CustomTool;

const maxTools = 128;
const formatField = object({
	type: oneOf('text', 'grammar'),
	syntax: optional(oneOf('lark', 'regex')),
	definition: optional(string({ minLength: 1, maxLength: 65_536 })),
});
const customField = object({
	type: oneOf('custom'),
	name: string({ minLength: 1, maxLength: 64 }),
	description: optional(string({ maxLength: 65_536 })),
	format: optional(formatField),
});

const isCustom = (value: unknown): boolean =>
	typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'custom';

/** As {@link toolsField}, with custom tools among the functions. */
export const responseToolsField = ruled(
	{
		type: 'array',
		maxItems: maxTools,
		items: {
			type: 'object',
			required: ['type', 'name'],
			properties: { type: { enum: ['function', 'custom'] }, name: { type: 'string' } },
		},
	},
	(value): ResponseTool[] => {
		if (!Array.isArray(value) || !value.some(isCustom)) return read(toolsField, value, '');
		if (value.length > maxTools) throw invalid('', `an array of at most ${maxTools} tools`);
		const tools = value.map((each: unknown, index): ResponseTool => {
			if (isCustom(each)) return readCustom(each, `[${index}]`);
			const [tool] = read(toolsField, [asObject(each, `[${index}]`)], '');
			return tool as ToolDefinition;
		});
		const names = new Set<string>();
		for (const [index, tool] of tools.entries()) {
			const name = toolName(tool);
			if (names.has(name))
				throw new Refused(`[${index}]`, () => `Two tools have the name '${name}'.`);
			names.add(name);
		}
		return tools;
	},
);

function readCustom(value: unknown, path: string): CustomTool {
	const tool = read(customField, value, path);
	if (!/^[A-Za-z0-9_.-]+$/.test(tool.name))
		throw invalid(`${path}.name`, 'made of letters, digits, dot, dash and underscore', tool.name);
	const { format } = tool;
	if (format?.type === 'grammar') {
		if (format.syntax === undefined)
			throw new Refused(`${path}.format.syntax`, (name) => `${name} is missing: lark or regex.`);
		if (format.definition === undefined)
			throw new Refused(`${path}.format.definition`, (name) => `${name} is missing.`);
	}
	return tool;
}

export const toolName = (tool: ResponseTool): string =>
	tool.type === 'custom' ? tool.name : tool.function.name;

const customChoice = object({
	type: oneOf('custom'),
	name: string({ minLength: 1, maxLength: 64 }),
});

/** As {@link toolChoiceField}; `{type: 'custom', name}` names a custom tool. */
export const responseToolChoice = leaving(
	ruled(
		{
			anyOf: [
				{ type: 'string', enum: ['none', 'auto', 'required'] },
				{
					type: 'object',
					required: ['type', 'name'],
					properties: { type: { enum: ['function', 'custom'] }, name: { type: 'string' } },
				},
				allowedToolsSchema,
			],
		},
		(value): ToolChoice => {
			if (!isCustom(value)) return read(toolChoiceField, value, '');
			return { name: read(customChoice, value, '').name };
		},
	),
	() => [],
);
