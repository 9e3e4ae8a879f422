/** EBNF for JSON numbers between two bounds. The grammar library's own rules for this let wrong numbers through. */

/** Bounds of a number; absent = none. */
export interface NumberRange {
	readonly whole: boolean;
	readonly minimum?: number | undefined;
	readonly maximum?: number | undefined;
	/** The bounds themselves are not allowed. */
	readonly openMinimum?: boolean;
	readonly openMaximum?: boolean;
}

/** A bound as decimal digits without sign: integer part and fraction without trailing zeros. */
interface Decimal {
	readonly integer: bigint;
	readonly fraction: string;
	readonly open: boolean;
}

const digit = '[0-9]';

/** An EBNF expression that matches exactly the numbers of the range, or `undefined` when there are none. */
export function numberRangeRule(range: NumberRange): string | undefined {
	const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = range;
	const min = { value: minimum, open: range.openMinimum === true };
	const max = { value: maximum, open: range.openMaximum === true };
	const rules: string[] = [];
	const hasZero = isBelow(min, 0) && isBelow({ value: 0, open: false }, max.value, max.open);
	if (minimum < 0) {
		// Negative numbers are the mirrored magnitudes, zero left out.
		const low = maximum < 0 ? decimal(-maximum, max.open) : decimal(0, true);
		const high = minimum === Number.NEGATIVE_INFINITY ? undefined : decimal(-minimum, min.open);
		const magnitudes = magnitudeRules(low, high, range.whole);
		if (magnitudes.length > 0) rules.push(`"-" (${magnitudes.join(' | ')})`);
	}
	if (maximum > 0 || (maximum === 0 && hasZero)) {
		const low =
			minimum > 0 || (minimum === 0 && min.open) ? decimal(minimum, min.open) : decimal(0, false);
		const high = maximum === Number.POSITIVE_INFINITY ? undefined : decimal(maximum, max.open);
		rules.push(...magnitudeRules(low, high, range.whole));
	}
	return rules.length === 0 ? undefined : rules.join(' | ');
}

function isBelow(bound: { value: number; open: boolean }, value: number, open = false): boolean {
	return bound.value < value || (bound.value === value && !bound.open && !open);
}

function decimal(value: number, open: boolean): Decimal {
	const text = /e/i.test(String(value)) ? value.toFixed(20) : String(value);
	const [integer = '0', fraction = ''] = text.split('.');
	return { integer: BigInt(integer), fraction: fraction.replace(/0+$/, ''), open };
}

function magnitudeRules(low: Decimal, high: Decimal | undefined, whole: boolean): string[] {
	if (whole) {
		const from = low.fraction === '' && !low.open ? low.integer : low.integer + 1n;
		const to =
			high === undefined
				? undefined
				: high.fraction === '' && high.open
					? high.integer - 1n
					: high.integer;
		return wholeRules(from, to);
	}
	if (high !== undefined && high.integer < low.integer) return [];
	const anyFraction = `("." ${digit}+)?`;
	if (high !== undefined && high.integer === low.integer) {
		return between(low, high).map((rule) => `"${low.integer}" ${rule}`.trim());
	}
	const rules = atLeast(low).map((rule) => `"${low.integer}" ${rule}`.trim());
	const inner = wholeRules(low.integer + 1n, high === undefined ? undefined : high.integer - 1n);
	if (inner.length > 0) rules.push(`(${inner.join(' | ')}) ${anyFraction}`);
	if (high !== undefined)
		rules.push(...atMost(high).map((rule) => `"${high.integer}" ${rule}`.trim()));
	return rules;
}

/** Fractions not below the bound's, as what follows the integer part. */
function atLeast({ fraction, open }: Decimal): string[] {
	return tailAtLeast(fraction, open).flatMap(withPoint);
}

/** Fractions not above the bound's, as what follows the integer part. */
function atMost({ fraction, open }: Decimal): string[] {
	return tailAtMost(fraction, open).flatMap(withPoint);
}

/** Fractions between two bounds with the same integer part. */
function between(low: Decimal, high: Decimal): string[] {
	const width = Math.max(low.fraction.length, high.fraction.length);
	const from = low.fraction.padEnd(width, '0');
	const to = high.fraction.padEnd(width, '0');
	if (from > to) return [];
	if (from === to) {
		return low.open || high.open ? [] : [quoted(low.fraction, '"0"*')].flatMap(withPoint);
	}
	let at = 0;
	while (from[at] === to[at]) at++;
	const shared = from.slice(0, at);
	const [a, b] = [from[at] as string, to[at] as string];
	const rules: string[] = [];
	// A beginning of the shared digits is the lower bound itself when that ends in zeros.
	for (let length = 0; length <= at && !low.open; length++) {
		if (/^0*$/.test(from.slice(length))) rules.push(quoted(shared.slice(0, length), ''));
	}
	const [first, last] = [Number(a) + 1, Number(b) - 1];
	if (first <= last) rules.push(quoted(shared, `[${first}-${last}] ${digit}*`));
	const rest = (text: string) => text.slice(at + 1).replace(/0+$/, '');
	rules.push(...tailAtLeast(rest(from), low.open).map((rule) => quoted(shared + a, rule)));
	rules.push(...tailAtMost(rest(to), high.open).map((rule) => quoted(shared + b, rule)));
	return rules.flatMap(withPoint);
}

/** Digits t (possibly none) with 0.t not below 0.f. */
function tailAtLeast(fraction: string, open: boolean): string[] {
	const rules = steps(fraction, (at) => (at < 9 ? `[${at + 1}-9]` : undefined));
	rules.push(quoted(fraction, open ? `"0"* [1-9] ${digit}*` : `${digit}*`));
	return rules;
}

/** Digits t (possibly none) with 0.t not above 0.f. */
function tailAtMost(fraction: string, open: boolean): string[] {
	const rules = steps(fraction, (at) => (at > 0 ? `[0-${at - 1}]` : undefined));
	// A beginning of the bound's fraction is smaller than the whole.
	for (let length = 0; length < fraction.length; length++) {
		rules.push(quoted(fraction.slice(0, length), ''));
	}
	if (!open) rules.push(quoted(fraction, '"0"*'));
	return rules;
}

/** One rule per digit of the bound: equal up to there, then beyond it, then anything. */
function steps(fraction: string, beyond: (digit: number) => string | undefined): string[] {
	return [...fraction].flatMap((char, index) => {
		const set = beyond(Number(char));
		return set === undefined ? [] : [quoted(fraction.slice(0, index), `${set} ${digit}*`)];
	});
}

function quoted(digits: string, rule: string): string {
	return `${digits === '' ? '' : `"${digits}"`} ${rule}`.trim();
}

// The point stands only before at least one digit.
function withPoint(rule: string): string[] {
	if (rule === '') return [''];
	if (rule === `${digit}*` || rule === '"0"*') return ['', `"." ${rule.slice(0, -1)}+`];
	return [`"." ${rule}`];
}

/** Whole numbers from `low` to `high` (absent = no end), without sign or leading zeros. */
function wholeRules(low: bigint, high: bigint | undefined): string[] {
	if (high !== undefined && high < low) return [];
	const rules: string[] = [];
	const width = low.toString().length;
	const lastWidth = high === undefined ? width : high.toString().length;
	for (let length = width; length <= lastWidth; length++) {
		const floor = length === 1 ? 0n : 10n ** BigInt(length - 1);
		const ceiling = 10n ** BigInt(length) - 1n;
		const from = low > floor ? low : floor;
		const to = high !== undefined && high < ceiling ? high : ceiling;
		rules.push(...sameLength(from.toString(), to.toString()));
	}
	if (high === undefined) rules.push(`[1-9]${` ${digit}`.repeat(width)} ${digit}*`);
	return rules;
}

function sameLength(from: string, to: string): string[] {
	if (from === to) return [`"${from}"`];
	const [a, b] = [from[0] as string, to[0] as string];
	const [restFrom, restTo] = [from.slice(1), to.slice(1)];
	if (a === b) return sameLength(restFrom, restTo).map((rule) => `"${a}" ${rule}`);
	if (restFrom === '') return [`[${a}-${b}]`];
	const nines = '9'.repeat(restFrom.length);
	const zeros = '0'.repeat(restFrom.length);
	const startsWhole = restFrom === zeros;
	const endsWhole = restTo === nines;
	const rules: string[] = [];
	if (!startsWhole) rules.push(...sameLength(restFrom, nines).map((rule) => `"${a}" ${rule}`));
	const first = Number(a) + (startsWhole ? 0 : 1);
	const last = Number(b) - (endsWhole ? 0 : 1);
	if (first <= last) rules.push(`[${first}-${last}]${` ${digit}`.repeat(restFrom.length)}`);
	if (!endsWhole) rules.push(...sameLength(zeros, restTo).map((rule) => `"${b}" ${rule}`));
	return rules;
}
