/** A share as words and a bar of signs, for lists that show only text. */

const cells = 8;

/** `62 % ▰▰▰▰▰▱▱▱`; never full or whole while something is missing. */
export function shareBar(done: number, total: number): string {
	const share = total === 0 ? 1 : done / total;
	const full = done >= total ? cells : Math.min(cells - 1, Math.floor(share * cells));
	const percent = done >= total ? 100 : Math.min(99, Math.floor(share * 100));
	return `${percent} % ${'▰'.repeat(full)}${'▱'.repeat(cells - full)}`;
}
