/** Fields of HTTP bodies in the spelling of JSON-RPC between editor and front. */

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
	? `${Head}${Capitalize<Camel<Tail>>}`
	: Name;

type Given<T> = T extends readonly (infer Item)[] ? readonly Item[] : T;

/** `{max_tokens?: number}` → `{maxTokens?: number}`; lists are only read. */
export type CamelCase<T> = {
	readonly [Name in keyof T as Name extends string ? Camel<Name> : never]: Given<T[Name]>;
};
