/** Who looks at the numbers of a build: a reference pass where there is a text to read, else the errors alone. */

import { openRuntime } from '../../verify/openRuntime.ts';
import type { GraphPlan, MatrixPart, NumbersWatcher } from '../graph/graphWriter.ts';
import type { CalibrationTokens } from './calibration.ts';
import { type ReferenceLogits, type ReferenceOptions, ReferencePass } from './referencePass.ts';
import type { ReferenceState } from './referenceState.ts';
import { WeightErrors } from './weightErrors.ts';

/** What was seen during a build. */
export interface Followed {
	readonly errors: WeightErrors;
	/** What the text was, and what the model says with the numbers of the source. */
	readonly reference?: {
		readonly calibration: CalibrationTokens;
		readonly expected: ReferenceLogits;
	};
}

export interface BuildWatcher extends NumbersWatcher, AsyncDisposable {
	/** What a later run needs to go on from here. */
	readonly state: ReferenceState;
	/** Before the rows of a band are read. */
	prepare(rows: MatrixPart | undefined, signal?: AbortSignal): Promise<void>;
	/** After the last band. */
	finish(signal?: AbortSignal): Promise<Followed>;
}

/**
 * Tokens that a model has which can be computed with the numbers of its source while it is built, and may say
 * something else than what is built: numbers in blocks are multiplied with activations of 8 bits. 0 for others.
 */
export function vocabularyToFollow({ linear }: GraphPlan): number {
	if (linear === undefined) return 0;
	const isExact = [...linear.matrices].every(
		([weight, { blocks }]) => blocks === undefined && !linear.changed.has(weight),
	);
	const [table] = linear.gathers.values();
	return isExact ? 0 : (linear.matrices.get(table?.weight ?? '')?.rows ?? 0);
}

export async function follow({
	calibration,
	...options
}: Omit<ReferenceOptions, 'calibration' | 'runtime'> & {
	readonly calibration: CalibrationTokens | undefined;
}): Promise<BuildWatcher> {
	if (calibration === undefined) return new ErrorWatcher(options.state);
	const pass = new ReferencePass({ ...options, calibration, runtime: await openRuntime() });
	return {
		get state() {
			return pass.state;
		},
		importanceOf: (weight) => pass.importanceOf(weight),
		onNumbers: (rows, numbers) => pass.onNumbers(rows, numbers),
		onMade: (rows, numbers, made) => pass.onMade(rows, numbers, made),
		prepare: (rows, signal) => pass.prepare(rows, signal),
		finish: async (signal) => ({
			errors: pass.errors,
			reference: { calibration, expected: await pass.finish(signal) },
		}),
		[Symbol.asyncDispose]: () => pass[Symbol.asyncDispose](),
	};
}

class ErrorWatcher implements BuildWatcher {
	readonly #errors: WeightErrors;

	constructor(state: ReferenceState | undefined) {
		this.#errors = new WeightErrors(state?.errors);
	}

	get state(): ReferenceState {
		return { next: 0, values: new Map(), errors: this.#errors.entries() };
	}

	async prepare(): Promise<void> {}

	importanceOf(): undefined {
		return undefined;
	}

	async onNumbers(): Promise<void> {}

	onMade(
		{ weight, count }: MatrixPart,
		numbers: Float32Array,
		made: Parameters<NumbersWatcher['onMade']>[2],
	): void {
		this.#errors.add(weight, numbers, made, count);
	}

	async finish(): Promise<Followed> {
		return { errors: this.#errors };
	}

	async [Symbol.asyncDispose](): Promise<void> {}
}
