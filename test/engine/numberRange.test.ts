/** Number ranges as grammar rules, checked against arithmetic. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type NumberRange, numberRangeRule } from '../../server/engine/grammar/numberRange.ts';

/** The rule as a regular expression: quoted parts and classes mean the same there. */
function pattern(rule: string): RegExp {
	const source = rule
		.replace(/"([^"]*)"/g, (_, text: string) => `(?:${text.replaceAll('.', '\\.')})`)
		.replaceAll(' ', '');
	return new RegExp(`^(?:${source})$`);
}

function isIn(value: number, range: NumberRange): boolean {
	const { minimum = -Infinity, maximum = Infinity } = range;
	if (range.whole && !Number.isInteger(value)) return false;
	const above = range.openMinimum ? value > minimum : value >= minimum;
	return above && (range.openMaximum ? value < maximum : value <= maximum);
}

const bounds = [
	undefined,
	-120,
	-10,
	-1.5,
	-0.25,
	0,
	0.5,
	1,
	1.05,
	9,
	10,
	12.75,
	99,
	100,
	150,
	1005,
];

describe('number ranges', () => {
	it('match exactly the numbers inside, for whole and other numbers, open and closed bounds', () => {
		const values: number[] = [];
		for (let value = -13000; value <= 13000; value += 5) values.push(value / 100);
		for (let value = -200; value <= 1200; value++) values.push(value);
		values.push(0.001, 1.049, 1.051, 12.749, 12.751, -0.249, -0.251, 0.49999, 1005.5, 123456);
		for (const minimum of bounds) {
			for (const maximum of bounds) {
				for (const flags of [0, 1, 2, 3, 4, 5]) {
					const range: NumberRange = {
						whole: flags > 3,
						minimum,
						maximum,
						openMinimum: (flags & 1) === 1,
						openMaximum: (flags & 2) === 2,
					};
					const rule = numberRangeRule(range);
					const regex = rule === undefined ? undefined : pattern(rule);
					for (const value of values) {
						const text = String(value === 0 ? 0 : value);
						const matches = regex?.test(text) ?? false;
						if (matches !== isIn(value, range)) {
							assert.fail(`${text} in ${JSON.stringify(range)}: ${matches}, rule ${rule}`);
						}
					}
				}
			}
		}
	});

	it('trailing zeros do not change what is allowed, leading zeros are not JSON', () => {
		const regex = pattern(numberRangeRule({ whole: false, minimum: 0.5, maximum: 2 }) ?? '');
		for (const text of ['0.5', '0.50', '2', '2.0', '2.000', '1.9990']) assert.match(text, regex);
		for (const text of ['0.4999', '2.01', '00.5', '.5', '2.', '-0'])
			assert.doesNotMatch(text, regex);
	});
});
