/**
 * What machines cost is yours to fill in: nothing here is a price of anybody. The document has the formulas; with both
 * numbers set, `npm run bench -- scale simulate` also prints the load from which the GPU engine is cheaper.
 */

export interface Prices {
	/** Of one replica of this program, for an hour, in any currency. */
	readonly replicaHour: number | undefined;
	/** Of one GPU engine behind an upstream, for an hour, in the same currency. */
	readonly gpuHour: number | undefined;
}

export const prices: Prices = { replicaHour: undefined, gpuHour: undefined };

/** How much more than a replica a GPU engine costs, for the table. */
export const priceRatios = [2, 5, 10, 20, 50, 100] as const;
