/** Text of a model on a terminal: what could steer the terminal is left out. */

/** Removes control characters other than tab and line feed. */
export function plainText(text: string): string {
	return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** Columns of text, as wide as their longest cell. */
export function table(rows: readonly (readonly string[])[]): string {
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
