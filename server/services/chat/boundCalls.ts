/** Functions whose calls are to have certain arguments. */

import { AppError, type JsonSchema, type ToolDefinition } from '../../protocol/index.ts';

/**
 * The functions that can be called with the arguments, each with a schema that admits these values only.
 * @param name of the one function that is to be called; absent: any that takes the arguments
 * @throws AppError `invalid_request` when none does
 */
export function boundCalls(
	tools: readonly ToolDefinition[],
	name: string | undefined,
	values: Readonly<Record<string, unknown>>,
): ToolDefinition[] {
	const wanted = tools.filter((tool) => name === undefined || tool.function.name === name);
	const bound = wanted.filter((tool) => unknownKey(tool, values) === undefined);
	const [first] = wanted;
	if (bound.length === 0 && first !== undefined)
		throw new AppError(
			'invalid_request',
			wanted.length > 1
				? `No function takes all of 'function_call.arguments' (${Object.keys(values).join(', ')}).`
				: `The function '${first.function.name}' has no parameter '${unknownKey(first, values)}', which 'function_call.arguments' gives.`,
			{ param: 'function_call.arguments' },
		);
	return bound.map((tool) => withValues(tool, values));
}

/** A parameter that a function does not have; functions that describe none take any. */
function unknownKey(
	{ function: { parameters } }: ToolDefinition,
	values: Readonly<Record<string, unknown>>,
): string | undefined {
	const properties = propertiesOf(parameters);
	if (properties === undefined) return undefined;
	const known = new Set(Object.keys(properties));
	return Object.keys(values).find((key) => !known.has(key));
}

function propertiesOf(
	schema: JsonSchema | undefined,
): Readonly<Record<string, unknown>> | undefined {
	const properties = typeof schema === 'object' ? schema['properties'] : undefined;
	return typeof properties === 'object' && properties !== null
		? (properties as Record<string, unknown>)
		: undefined;
}

function withValues(
	tool: ToolDefinition,
	values: Readonly<Record<string, unknown>>,
): ToolDefinition {
	const { parameters } = tool.function;
	const given = typeof parameters === 'object' ? parameters : {};
	const required = Array.isArray(given['required']) ? (given['required'] as unknown[]) : [];
	const fixed = Object.entries(values).map(([key, value]) => [key, { const: value }] as const);
	return {
		...tool,
		function: {
			...tool.function,
			parameters: {
				type: 'object',
				...given,
				properties: { ...propertiesOf(parameters), ...Object.fromEntries(fixed) },
				required: [...new Set([...required, ...Object.keys(values)])],
			},
		},
	};
}
