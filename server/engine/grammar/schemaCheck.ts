/**
 * Checks a JSON schema and rewrites what the grammar compiler does not know, so that every answer it
 * allows validates. What cannot be enforced is refused by name, never ignored.
 */

import { defined } from '../../protocol/defined.ts';
import { AppError, type JsonSchema } from '../../protocol/index.ts';
import { endlessPlace } from './endless.ts';
import { numberRangeRule } from './numberRange.ts';
import { mergeSchemas } from './schemaMerge.ts';
import { withTuples } from './tuples.ts';

type Schema = Record<string, unknown>;

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const formats = new Set([
	'email',
	'date',
	'time',
	'date-time',
	'duration',
	'ipv4',
	'ipv6',
	'hostname',
	'uuid',
	'uri',
	'json-pointer',
]);
const refused = [
	'not',
	'if',
	'then',
	'else',
	'contains',
	'dependentSchemas',
	'dependentRequired',
	'dependencies',
	'unevaluatedItems',
	'$dynamicRef',
	'$recursiveRef',
];
const mapKeywords = ['properties', 'patternProperties', '$defs', 'definitions'];
/** Begins every placeholder; nothing a schema would hold. */
const prefix = 'nearglot7f3a';
const maxDepth = 64;
const maxSchemas = 5000;

/** A schema that is ready for the compiler. */
export interface PreparedSchema {
	readonly schema: JsonSchema;
	/** Placeholder that stands for a value in the schema → EBNF of the values allowed there. */
	readonly values: ReadonlyMap<string, string>;
	/** Placeholder that stands for a property's name → the name. */
	readonly names: ReadonlyMap<string, string>;
}

/**
 * A schema the compiler enforces completely.
 * @param param the request field the schema came in, for the error
 * @throws AppError `invalid_request` that names the place and the keyword
 */
export function prepareSchema(schema: JsonSchema, param: string): PreparedSchema {
	return new Preparation(withTuples(schema) as JsonSchema, param).run();
}

class Preparation {
	readonly #root: JsonSchema;
	readonly #param: string;
	readonly #values = new Map<string, string>();
	readonly #names = new Map<string, string>();
	#count = 0;

	constructor(root: JsonSchema, param: string) {
		this.#root = root;
		this.#param = param;
	}

	run(): PreparedSchema {
		const schema = this.#prepare(this.#root, '#', 0);
		const endless = endlessPlace(schema);
		if (endless !== undefined) this.#fail(endless, 'contains itself and never ends');
		return { schema, values: this.#values, names: this.#names };
	}

	#fail(path: string, why: string): never {
		throw new AppError('invalid_request', `The JSON schema cannot be enforced: ${path} ${why}.`, {
			param: this.#param,
		});
	}

	#prepare(value: unknown, path: string, depth: number): JsonSchema {
		if (typeof value === 'boolean') {
			return value ? true : this.#fail(path, 'is false, which allows nothing');
		}
		if (!isObject(value)) return this.#fail(path, 'must be an object or true');
		if (depth > maxDepth) return this.#fail(path, `is nested deeper than ${maxDepth} levels`);
		if (++this.#count > maxSchemas)
			return this.#fail(path, `is one of more than ${maxSchemas} schemas`);
		for (const keyword of refused) {
			if (value[keyword] !== undefined)
				this.#fail(path, `uses '${keyword}', which is not supported`);
		}
		if (value.uniqueItems === true) this.#fail(path, "uses 'uniqueItems', which is not supported");
		const flat = this.#propertyNames(this.#flatten(value, path), path);
		const schema = this.#listed(flat, path) ?? this.#checked(flat, path);
		for (const key of mapKeywords) {
			const map = schema[key];
			if (map === undefined) continue;
			if (!isObject(map)) this.#fail(`${path}/${key}`, 'must be an object of schemas');
			schema[key] = Object.fromEntries(
				Object.entries(map as Schema).map(([name, child]) => [
					key === 'properties' ? this.#nameFor(name) : name,
					this.#prepare(child, `${path}/${key}/${name}`, depth + 1),
				]),
			);
		}
		for (const key of ['anyOf', 'oneOf', 'prefixItems']) {
			const list = schema[key];
			if (list === undefined) continue;
			if (!Array.isArray(list) || list.length === 0) {
				this.#fail(`${path}/${key}`, 'must be a list of schemas');
			}
			schema[key] = (list as unknown[]).map((child, index) =>
				this.#prepare(child, `${path}/${key}/${index}`, depth + 1),
			);
		}
		for (const key of ['items', 'additionalProperties']) {
			if (schema[key] === undefined || schema[key] === false) continue;
			schema[key] = this.#prepare(schema[key], `${path}/${key}`, depth + 1);
		}
		return schema;
	}

	// allOf, and keywords beside anyOf, become one plain schema.
	#flatten(value: Schema, path: string): Schema {
		let schema: Schema = { ...value };
		const join = (a: Schema, b: unknown): Schema => {
			const merged = mergeSchemas(a, this.#deref(b, path));
			if (typeof merged === 'string') return this.#fail(path, merged);
			return merged;
		};
		if (Array.isArray(schema.allOf)) {
			const { allOf, ...rest } = schema;
			schema = (allOf as unknown[]).reduce<Schema>(join, rest);
		}
		for (const key of ['anyOf', 'oneOf']) {
			const list = schema[key];
			if (!Array.isArray(list)) continue;
			const {
				[key]: _list,
				$defs,
				definitions,
				title,
				description,
				$schema,
				$id,
				...rest
			} = schema;
			if (Object.keys(rest).length === 0) continue;
			schema = {
				...defined({ $defs, definitions }),
				[key]: list.map((branch) => join(rest, branch)),
			};
		}
		if (schema.nullable === true && typeof schema.type === 'string') {
			schema.type = [schema.type, 'null'];
		}
		return schema;
	}

	#deref(value: unknown, path: string): Schema {
		let schema = value;
		for (let steps = 0; isObject(schema) && typeof schema.$ref === 'string'; steps++) {
			if (steps > 32) this.#fail(path, 'refers to itself inside allOf or anyOf');
			const { $ref, ...rest } = schema;
			const target = this.#find(String($ref), path);
			schema = { ...(isObject(target) ? target : {}), ...rest };
		}
		return isObject(schema) ? schema : this.#fail(path, 'has a part that is not an object');
	}

	#find(ref: string, path: string): unknown {
		if (!ref.startsWith('#')) this.#fail(path, `refers to '${ref}'; only '#/…' can be followed`);
		let target: unknown = this.#root;
		for (const part of ref.slice(1).split('/').slice(1)) {
			const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
			target = isObject(target) || Array.isArray(target) ? (target as Schema)[name] : undefined;
			if (target === undefined) this.#fail(path, `refers to '${ref}', which is not there`);
		}
		return target;
	}

	#checked(value: Schema, path: string): Schema {
		const schema: Schema = { ...value };
		if (schema.$ref !== undefined) this.#find(String(schema.$ref), path);
		this.#checkType(schema, path);
		this.#bounds(schema, path);
		this.#text(schema, path);
		if (schema.required !== undefined && !isNames(schema.required)) {
			this.#fail(path, "has a 'required' that is not a list of names");
		}
		const properties = isObject(schema.properties) ? schema.properties : undefined;
		if (properties !== undefined) {
			schema.type ??= 'object';
			// A model is asked for what is described; other properties would only be noise.
			if (schema.patternProperties === undefined) schema.additionalProperties ??= false;
			for (const name of (schema.required as string[] | undefined) ?? []) {
				if (!Object.hasOwn(properties, name) && schema.additionalProperties === false) {
					this.#fail(path, `requires '${name}', which its properties do not allow`);
				}
			}
			if (isNames(schema.required)) {
				schema.required = (schema.required as string[]).map((name) => this.#nameFor(name));
			}
		}
		delete schema.$schema;
		delete schema.$id;
		delete schema.unevaluatedProperties;
		return this.#replaceRange(schema, path);
	}

	#checkType(schema: Schema, path: string): void {
		const { type } = schema;
		if (type === undefined) return;
		const list: unknown[] = Array.isArray(type) ? type : [type];
		for (const name of list) {
			if (!types.has(name as string))
				this.#fail(path, `has the unknown type ${JSON.stringify(name)}`);
		}
		if (list.length === 0) this.#fail(path, 'has an empty list of types');
	}

	#bounds(schema: Schema, path: string): void {
		for (const [min, max] of [
			['minLength', 'maxLength'],
			['minItems', 'maxItems'],
			['minProperties', 'maxProperties'],
		] as const) {
			for (const key of [min, max]) {
				const bound = schema[key];
				if (bound !== undefined && (!Number.isInteger(bound) || (bound as number) < 0)) {
					this.#fail(path, `has a '${key}' that is not a whole number`);
				}
			}
			if ((schema[min] as number) > (schema[max] as number)) {
				this.#fail(path, `allows nothing: '${min}' is greater than '${max}'`);
			}
		}
		if (schema.multipleOf !== undefined) {
			if (!(schema.type === 'integer' && schema.multipleOf === 1)) {
				this.#fail(path, "uses 'multipleOf', which is not supported");
			}
			delete schema.multipleOf;
		}
	}

	#placeholder(rule: string): Schema {
		const name = `${prefix}Value${this.#values.size}`;
		this.#values.set(name, rule);
		return { enum: [name] };
	}

	// The compiler's spelling of listed values is not always JSON, so they are spelled here.
	#listed(schema: Schema, path: string): Schema | undefined {
		const all = schema.const === undefined ? schema.enum : [schema.const];
		if (all === undefined) return undefined;
		if (!Array.isArray(all) || all.length === 0) {
			return this.#fail(path, "has an 'enum' that is not a list of values");
		}
		if (all.length === 1 && this.#values.has(all[0] as string)) return { enum: all };
		const allowed = all.filter((value) => isOfType(value, schema.type));
		if (allowed.length === 0) this.#fail(path, 'lists no value of its own type');
		return this.#placeholder(allowed.map((value) => ebnfText(JSON.stringify(value))).join(' | '));
	}

	// Names that need escapes are put in afterwards: the compiler does not escape them.
	#nameFor(name: string): string {
		if (!/["\\\u0000-\u001f]/.test(name)) return name;
		for (const [placeholder, known] of this.#names) if (known === name) return placeholder;
		const placeholder = `${prefix}Name${this.#names.size}`;
		this.#names.set(placeholder, name);
		return placeholder;
	}

	// Rules for names become rules for properties, which the compiler combines with their values.
	#propertyNames(schema: Schema, path: string): Schema {
		const { propertyNames, ...rest } = schema;
		if (propertyNames === undefined || propertyNames === true) return rest;
		const names = isObject(propertyNames) ? propertyNames : {};
		const value = rest.additionalProperties ?? true;
		const isPlain = rest.properties === undefined && rest.patternProperties === undefined;
		if (isPlain && value !== false && typeof names.pattern === 'string') {
			return {
				...rest,
				patternProperties: { [names.pattern]: value },
				additionalProperties: false,
			};
		}
		if (isPlain && value !== false && Array.isArray(names.enum) && isNames(names.enum)) {
			const properties = Object.fromEntries(names.enum.map((name) => [name as string, value]));
			return { ...rest, properties, additionalProperties: false };
		}
		return this.#fail(path, "uses 'propertyNames' in a way that is not supported");
	}

	// Bounded numbers become placeholders: the compiler's own rules for them are not exact.
	#replaceRange(schema: Schema, path: string): Schema {
		const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
		if (!bounds.some((key) => schema[key] !== undefined)) return schema;
		const rest = { ...schema };
		for (const key of bounds) delete rest[key];
		const listed = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'number'];
		const others = listed.filter((type) => type !== 'number' && type !== 'integer');
		if (others.length === listed.length) return rest;
		const rule = numberRangeRule({
			whole: !listed.includes('number'),
			...this.#side(schema, 'minimum', 'exclusiveMinimum', path),
			...this.#side(schema, 'maximum', 'exclusiveMaximum', path),
		});
		if (rule === undefined) return this.#fail(path, 'allows no number between its bounds');
		const number = this.#placeholder(rule);
		if (others.length === 0) return number;
		return { anyOf: [number, { ...rest, type: others.length === 1 ? others[0] : others }] };
	}

	#side(schema: Schema, key: 'minimum' | 'maximum', openKey: string, path: string) {
		const closed = this.#bound(schema, key, path);
		// Draft 4 marks the bound itself as excluded; later drafts give a second one.
		const open = schema[openKey] === true ? closed : this.#bound(schema, openKey, path);
		const isMinimum = key === 'minimum';
		if (closed === undefined && open === undefined) return {};
		const openWins =
			open !== undefined && (closed === undefined || (isMinimum ? open >= closed : open <= closed));
		const value = openWins ? open : closed;
		return isMinimum
			? { minimum: value, openMinimum: openWins }
			: { maximum: value, openMaximum: openWins };
	}

	#bound(schema: Schema, key: string, path: string): number | undefined {
		const value = schema[key];
		if (value === undefined || typeof value === 'boolean') return undefined;
		if (typeof value === 'number' && Number.isFinite(value)) return value;
		return this.#fail(path, `has a '${key}' that is not a number`);
	}

	#text(schema: Schema, path: string): void {
		const hasLength = schema.minLength !== undefined || schema.maxLength !== undefined;
		if (schema.pattern !== undefined) {
			try {
				new RegExp(String(schema.pattern), 'u');
			} catch {
				this.#fail(
					path,
					`has the pattern ${JSON.stringify(schema.pattern)}, which is not a regular expression`,
				);
			}
			schema.pattern = wholePattern(String(schema.pattern));
			if (hasLength) {
				this.#fail(path, "combines 'pattern' with a length; put the length into the pattern");
			}
		}
		// A format is a remark unless it can be enforced alone.
		if (schema.format !== undefined) {
			const usable =
				formats.has(String(schema.format)) && schema.pattern === undefined && !hasLength;
			if (!usable) delete schema.format;
		}
	}
}

/** A text as an EBNF literal. */
function ebnfText(text: string): string {
	return JSON.stringify(text);
}

function isOfType(value: unknown, type: unknown): boolean {
	if (type === undefined) return true;
	const names: unknown[] = Array.isArray(type) ? type : [type];
	const own = value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as string);
	return names.includes(own) || (Number.isInteger(value) && names.includes('integer'));
}

// The compiler matches whole texts and ignores anchors, but not around alternatives.
function wholePattern(pattern: string): string {
	if (!pattern.includes('|')) return pattern;
	const bare = pattern.replace(/\\.|\[(?:\\.|[^\]])*\]|[\^$]/g, (part) =>
		part === '^' || part === '$' ? '' : part,
	);
	return `(${bare})`;
}

function isObject(value: unknown): value is Schema {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNames(value: unknown): boolean {
	return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
