/** Functions whose calls are to have certain arguments. Costs what the schemas cost, so it runs in a thread. */

import { Validator } from '@cfworker/json-schema';
import { AppError, type JsonSchema, type ToolDefinition } from '../../protocol/index.ts';
import { withTuples } from './tuples.ts';

type Values = Readonly<Record<string, unknown>>;
type Schema = Readonly<Record<string, unknown>>;

const param = 'function_call.arguments';
/** Functions whose reasons are given if none fits. */
const maxReasons = 3;

/**
 * Those of the functions that can be called with the arguments, each with a schema that admits these values only.
 * @throws AppError `invalid_request` when there is none
 */
export function boundCalls(tools: readonly ToolDefinition[], values: Values): ToolDefinition[] {
	const misfits: Misfit[] = [];
	const fitting = tools.filter((tool) => {
		const misfit = misfitOf(tool, values);
		if (misfit !== undefined) misfits.push(misfit);
		return misfit === undefined;
	});
	if (fitting.length > 0) return fitting.map((tool) => withValues(tool, values));
	const [only] = misfits;
	if (misfits.length === 1 && only !== undefined)
		throw new AppError('invalid_request', `${only.why}.`, { param: only.param });
	const reasons = misfits.slice(0, maxReasons).map(({ why }) => why);
	throw new AppError(
		'invalid_request',
		`No function can be called with '${param}'. ${reasons.join('. ')}.`,
		{ param },
	);
}

interface Misfit {
	readonly why: string;
	readonly param: string;
}

/** Why a function cannot be called with the values, others being left to the model. */
function misfitOf({ function: { name, parameters } }: ToolDefinition, values: Values) {
	if (typeof parameters !== 'object') return undefined;
	const unknown = unknownKey(parameters, values);
	if (unknown !== undefined)
		return {
			why: `The function '${name}' has no parameter '${unknown}', which '${param}' gives`,
			param: `${param}.${unknown}`,
		};
	const whole = withTuples(parameters) as Schema;
	const schema = partial(whole, whole);
	const { errors } = new Validator(schema, '2020-12', false).validate(values);
	// The innermost place says most; those around it only repeat that something in them is wrong.
	const [first] = errors.toSorted(
		(one, two) => depthOf(two.instanceLocation) - depthOf(one.instanceLocation),
	);
	if (first === undefined) return undefined;
	const place = [param, ...first.instanceLocation.split('/').slice(1).map(decodeURIComponent)];
	const at = place.join('.');
	return {
		why: `'${at}' does not fit the parameters of '${name}': ${first.error.replace(/\.$/, '')}`,
		param: at,
	};
}

const depthOf = (pointer: string): number => pointer.split('/').length;

/** A parameter that a function does not have, of those that describe theirs and no others. */
function unknownKey(schema: Schema, values: Values): string | undefined {
	const properties = propertiesOf(schema);
	const { additionalProperties: others = false, patternProperties } = schema;
	if (properties === undefined || others !== false || patternProperties !== undefined)
		return undefined;
	return Object.keys(values).find((key) => !Object.hasOwn(properties, key));
}

function propertiesOf(schema: JsonSchema | undefined): Schema | undefined {
	const properties = typeof schema === 'object' ? schema['properties'] : undefined;
	return typeof properties === 'object' && properties !== null ? (properties as Schema) : undefined;
}

/** The schema for some of the properties: what else must be there comes from the model. */
function partial(schema: Schema, root: Schema, depth = 0): Schema {
	const { required: _required, minProperties: _minimum, $ref, oneOf, ...rest } = schema;
	const branches = (list: unknown) =>
		(list as Schema[]).map((each) =>
			typeof each === 'object' && depth < 8 ? partial(each, root, depth + 1) : each,
		);
	const target = typeof $ref === 'string' && depth < 8 ? targetOf($ref, root) : undefined;
	const alternatives = [rest['anyOf'], oneOf]
		.filter(Array.isArray)
		.map((list) => ({ anyOf: branches(list) }));
	const { anyOf: _anyOf, allOf, ...own } = rest;
	const all = [
		...(Array.isArray(allOf) ? branches(allOf) : []),
		...alternatives,
		...(target === undefined ? [] : [partial(target, root, depth + 1)]),
	];
	return { ...own, ...(all.length === 0 ? {} : { allOf: all }) };
}

/** What a `#/…` reference leads to; others are refused where the grammar is made. */
function targetOf($ref: string, root: Schema): Schema | undefined {
	let target: unknown = root;
	for (const part of $ref.slice(1).split('/').slice(1))
		target = Object(target)[part.replaceAll('~1', '/').replaceAll('~0', '~')] as unknown;
	return typeof target === 'object' && target !== null ? (target as Schema) : undefined;
}

function withValues(tool: ToolDefinition, values: Values): ToolDefinition {
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
