/** Word links of a translation (`0:4-0:3 6:9-5:8`, both ends inclusive) as parts of both texts. */

export interface WordLink {
	readonly source: readonly [number, number];
	readonly target: readonly [number, number];
}

export interface LinkedPart {
	readonly text: string;
	/** Indexes of the links this part belongs to. */
	readonly groups: readonly number[];
}

/** Reads the notation; what does not fit it is left out. */
export function readLinks(notation: string): WordLink[] {
	return [...notation.matchAll(/(\d+):(\d+)-(\d+):(\d+)/g)].map(
		([, a = '0', b = '0', c = '0', d = '0']) => ({
			source: [Number(a), Number(b)],
			target: [Number(c), Number(d)],
		}),
	);
}

/** Cuts a text where a link begins or ends; words linked to the same source word share its number. */
export function linkedParts(
	text: string,
	links: readonly WordLink[],
	side: 'source' | 'target',
): LinkedPart[] {
	const cuts = new Set([0, text.length]);
	for (const link of links) {
		cuts.add(Math.min(text.length, link[side][0]));
		cuts.add(Math.min(text.length, link[side][1] + 1));
	}
	const places = [...cuts].sort((a, b) => a - b);
	return places.slice(0, -1).map((start, index) => {
		const end = places[index + 1] ?? text.length;
		const groups = links.flatMap((link, group) =>
			link[side][0] <= start && link[side][1] + 1 >= end ? [group] : [],
		);
		return { text: text.slice(start, end), groups };
	});
}
