/** Order of product versions: `1.2.3`, with an optional `-suffix` that comes before the release. */

/** Negative when left is older, 0 when equal. What is no version counts as the oldest. */
export function compareVersions(left: string, right: string): number {
	const [a, b] = [parts(left), parts(right)];
	for (let index = 0; index < 3; index++) {
		const difference = (a.numbers[index] ?? 0) - (b.numbers[index] ?? 0);
		if (difference !== 0) return difference;
	}
	if (a.suffix === b.suffix) return 0;
	if (a.suffix === '') return 1;
	if (b.suffix === '') return -1;
	return a.suffix < b.suffix ? -1 : 1;
}

function parts(version: string): { numbers: number[]; suffix: string } {
	const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-(.+))?$/.exec(version);
	if (!match) return { numbers: [-1], suffix: '' };
	return { numbers: match.slice(1, 4).map(Number), suffix: match[4] ?? '' };
}
