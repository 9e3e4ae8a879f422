/** What keys may do and how much of it: scopes of work, and limits per minute and day. */

/** What a key may be for; each route that gives a model work says which of these it is. */
export const keyScopes = ['chat', 'embeddings', 'rerank', 'speech', 'translate'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** What is counted: tokens of prompts and answers, seconds of sound, characters of texts to translate. */
export const countedUnits = ['tokens', 'seconds', 'characters'] as const;
export type CountedUnit = (typeof countedUnits)[number];
export const limitPeriods = ['minute', 'day'] as const;
export type LimitPeriod = (typeof limitPeriods)[number];

export interface Limit {
	readonly unit: CountedUnit;
	readonly period: LimitPeriod;
	/** Of the unit within the period, which slides. */
	readonly size: number;
}

/** How much of each unit. */
export type Amounts = Partial<Readonly<Record<CountedUnit, number>>>;

/** Every limit that there can be, by the name of its field, in the order in which they are shown. */
export const limitFields = [
	{ field: 'tokensPerMinute', unit: 'tokens', period: 'minute' },
	{ field: 'tokensPerDay', unit: 'tokens', period: 'day' },
	{ field: 'secondsPerMinute', unit: 'seconds', period: 'minute' },
	{ field: 'secondsPerDay', unit: 'seconds', period: 'day' },
	{ field: 'charactersPerMinute', unit: 'characters', period: 'minute' },
	{ field: 'charactersPerDay', unit: 'characters', period: 'day' },
] as const satisfies readonly {
	readonly field: string;
	readonly unit: CountedUnit;
	readonly period: LimitPeriod;
}[];
export type LimitField = (typeof limitFields)[number]['field'];

/** The limits of a key or of every person; what is absent is not limited. */
export type UsageLimits = Partial<Readonly<Record<LimitField, number>>>;

/** The same as a list. */
export const limitList = (limits: UsageLimits): Limit[] => {
	const sizes = new Map<string, number | undefined>(Object.entries(limits));
	return limitFields.flatMap(({ field, unit, period }) => {
		const size = sizes.get(field);
		return size === undefined ? [] : [{ unit, period, size }];
	});
};

/** UsageLimits as a command or a page shows them: `1000 tokens a minute, 600 seconds a day`. */
export const limitText = ({ unit, period, size }: Limit): string => `${size} ${unit} a ${period}`;

/** Largest size of a limit. */
export const maxLimit = 1e12;
