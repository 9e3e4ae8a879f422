/** Tables and amounts as the command line shows them. */

/** Columns of text, as wide as their longest cell; each row is one line. */
export function table(cells: readonly (readonly string[])[]): string {
	const rows = cells.map((row) => row.map(oneLine));
	const widths: number[] = [];
	for (const row of rows)
		for (const [index, cell] of row.entries())
			widths[index] = Math.max(widths[index] ?? 0, cell.length);
	return rows
		.map((row) =>
			row
				.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

/** `1.4 GB`, in powers of 1000 as disks and hubs count. */
export function byteText(bytes: number | undefined): string {
	if (bytes === undefined) return '';
	const units = ['B', 'kB', 'MB', 'GB', 'TB'];
	let value = bytes;
	let unit = 0;
	while (value >= 1000 && unit < units.length - 1) {
		value /= 1000;
		unit++;
	}
	return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

const oneLine = (cell: string): string =>
	cell.includes('\n')
		? cell
				.split('\n')
				.map((line) => line.trim())
				.filter((line) => line !== '')
				.join(' ')
		: cell;
