/** Joins two JSON schemas into one that allows what both allow. */

type Schema = Record<string, unknown>;

/** Keywords that say nothing about validity. */
const remarks = new Set(['title', 'description', 'default', 'examples', '$comment', 'deprecated']);

/** The merged schema, or a sentence part that says why there is none. */
export function mergeSchemas(a: Schema, b: Schema): Schema | string {
	const merged: Schema = { ...a };
	for (const [key, value] of Object.entries(b)) {
		const own = merged[key];
		if (own === undefined || remarks.has(key)) {
			merged[key] ??= value;
			continue;
		}
		const joined = join(key, own, value);
		if (joined === undefined) return `joins two schemas whose '${key}' cannot be combined`;
		merged[key] = joined;
	}
	return merged;
}

function join(key: string, own: unknown, other: unknown): unknown {
	if (JSON.stringify(own) === JSON.stringify(other)) return own;
	switch (key) {
		case 'properties':
		case '$defs':
		case 'definitions':
			return joinMaps(own as Schema, other as Schema);
		case 'required':
			return [...new Set([...(own as string[]), ...(other as string[])])];
		case 'type':
			return joinTypes(list(own), list(other));
		case 'enum': {
			const texts = new Set(list(other).map((value) => JSON.stringify(value)));
			const both = list(own).filter((value) => texts.has(JSON.stringify(value)));
			return both.length === 0 ? undefined : both;
		}
		case 'minimum':
		case 'exclusiveMinimum':
		case 'minLength':
		case 'minItems':
		case 'minProperties':
			return Math.max(Number(own), Number(other));
		case 'maximum':
		case 'exclusiveMaximum':
		case 'maxLength':
		case 'maxItems':
		case 'maxProperties':
			return Math.min(Number(own), Number(other));
		case 'additionalProperties':
			if (own === true) return other;
			return other === true || own === false ? own : undefined;
		default:
			return undefined;
	}
}

function joinMaps(own: Schema, other: Schema): Schema | undefined {
	const joined: Schema = { ...own };
	for (const [name, schema] of Object.entries(other)) {
		const existing = joined[name];
		if (existing === undefined) joined[name] = schema;
		else {
			const merged = mergeSchemas(existing as Schema, schema as Schema);
			if (typeof merged === 'string') return undefined;
			joined[name] = merged;
		}
	}
	return joined;
}

function joinTypes(own: unknown[], other: unknown[]): unknown {
	const both = own.filter((type) => other.includes(type));
	if (both.length === 0 && own.includes('number') && other.includes('integer')) return 'integer';
	if (both.length === 0 && own.includes('integer') && other.includes('number')) return 'integer';
	return both.length === 0 ? undefined : both.length === 1 ? both[0] : both;
}

function list(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [value];
}
