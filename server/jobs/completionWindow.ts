/** How long a batch may take before what is not done is given up. */

import { AppError } from '../protocol/index.ts';

const windowUnits = { m: 60, h: 3600, d: 86_400 } as const;

/** Seconds of `24h`, `30m`, `7d`. @throws AppError `invalid_request` */
export function windowSeconds(text: string): number {
	const found = /^(\d{1,4})([mhd])$/.exec(text);
	const seconds = Number(found?.[1]) * windowUnits[found?.[2] as keyof typeof windowUnits];
	if (found !== null && seconds >= 60 && seconds <= 366 * 86_400) return seconds;
	throw new AppError(
		'invalid_request',
		"'completion_window' must be a time such as 24h: a number with m, h or d, from 1m to 366d.",
		{ param: 'completion_window' },
	);
}
