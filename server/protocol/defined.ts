/** Optional fields: there with a value, or not there at all. */

/** The fields of `T`; those that may be `undefined` may be absent instead. */
export type Defined<T> = {
	[K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
	[K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The fields that have a value, in their order. An optional field that is given as `undefined` is not the
 * same as one that is absent: it overwrites others, and JSON-RPC and `in` see it.
 * @example
 * const options = { model, ...defined({ ttlS: request.ttl, executionProvider: request.ep }) };
 */
export function defined<T extends object>(fields: T): Defined<T> {
	const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
	return Object.fromEntries(entries) as Defined<T>;
}
