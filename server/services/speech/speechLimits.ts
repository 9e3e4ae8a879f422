/** How large and how long recordings may be; both can be set by environment variables. */

import { AppError } from '../../protocol/index.ts';
import type { SpeechLimits } from './speechService.ts';

const defaults = { megabytes: 200, hours: 4 };

/**
 * `NEARGLOT_AUDIO_MAX_MB` and `NEARGLOT_AUDIO_MAX_HOURS`, or 200 MB and 4 hours.
 * Throws `invalid_request` for values that are no positive numbers.
 */
export function speechLimits(env: NodeJS.ProcessEnv): SpeechLimits {
	return {
		maximumBytes: read(env, 'NEARGLOT_AUDIO_MAX_MB', defaults.megabytes, 100_000) * 1_048_576,
		maximumS: read(env, 'NEARGLOT_AUDIO_MAX_HOURS', defaults.hours, 1000) * 3600,
	};
}

function read(env: NodeJS.ProcessEnv, name: string, fallback: number, most: number): number {
	const text = env[name];
	if (text === undefined || text === '') return fallback;
	const value = Number(text);
	if (value > 0 && value <= most) return value;
	throw new AppError(
		'invalid_request',
		`${name} must be a number above 0 and at most ${most}, not '${text}'.`,
	);
}
