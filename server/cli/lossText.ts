/** What a model has lost by being built, for people. */

import type { BuiltLoss } from '../protocol/index.ts';

/** A sentence without its full stop. */
export function lossText(loss: BuiltLoss): string {
	if (loss.measured === 'nothing') return 'nothing: the numbers of the source are kept';
	const { weightError, worstWeight } = loss;
	const most =
		worstWeight === undefined ? '' : `, most ${percent(worstWeight.error)} in ${worstWeight.name}`;
	const kept = weightError === 0;
	const weights = kept
		? 'the numbers of the source are kept'
		: `weights changed by ${percent(weightError)}${most}`;
	if (loss.measured === 'weights') return `${weights}; answers were not compared: ${loss.why}`;
	const { positions, divergence, sameToken } = loss;
	const as = kept ? 'in exact arithmetic' : 'unquantised';
	return `${percent(sameToken)} of ${positions} next tokens the same as ${as}, divergence ${divergence.toPrecision(2)} (KL); ${weights}`;
}

function percent(share: number): string {
	const value = 100 * share;
	return `${value < 10 && value > 0 ? value.toPrecision(2) : value.toFixed(0)} %`;
}
