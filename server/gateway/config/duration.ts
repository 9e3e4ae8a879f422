/** Durations as the auth settings file spells them: `[d.]hh:mm:ss`. */

const pattern = /^(?:(\d{1,4})\.)?(\d{1,2}):([0-5]\d):([0-5]\d)(?:\.\d{1,7})?$/;

/** Milliseconds of `08:00:00` or `3.00:00:00`, undefined when the text is no duration. */
export function parseDurationMs(text: string): number | undefined {
	const match = pattern.exec(text);
	if (!match) return undefined;
	const [days, hours, minutes, seconds] = match.slice(1, 5).map((part) => Number(part ?? 0));
	if (hours! > 23 && days! > 0) return undefined;
	return (((days! * 24 + hours!) * 60 + minutes!) * 60 + seconds!) * 1000;
}
