/** The languages a transcript can be translated into, those that can be had at once first. */

import type { TranscriptState } from '../../server/protocol/index.ts';

/** Without the spoken one; where it is known which languages models are here for, these come first. */
export function targetsOf(
	state: Pick<TranscriptState, 'languages' | 'ready'> | undefined,
	spoken: string | undefined,
): TranscriptState['languages'] {
	const ready = new Set(state?.ready);
	return (state?.languages ?? [])
		.filter(({ code }) => code !== spoken)
		.toSorted((a, b) => Number(ready.has(b.code)) - Number(ready.has(a.code)));
}
