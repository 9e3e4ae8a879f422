/** The places of a document that links lead to: headings, and the addresses that sites make of their words. */

/** A heading of a document. */
export interface Heading {
	/** As they are read, without marks. */
	readonly words: string;
	/** The address it has been given, whatever its words are; empty where it has none. */
	readonly id?: string;
}

/** Addresses of all headings of a document, in their order; empty for those that have none of this kind. */
export type Slugs = (headings: readonly Heading[]) => readonly string[];

/** A link to a place in its own document. */
export interface HeadingLink {
	/** Offsets of the name of that place, as it is written. */
	readonly start: number;
	readonly end: number;
	/** The name as {@link Slugs} has it. */
	readonly name: string;
	/** Source code for another name, of a heading with these words; the name itself when absent. */
	readonly write?: (name: string, words: string) => string;
}

/** A link to a place in another file. */
export interface OutwardLink {
	/** Offsets of the name of that place, as it is written. */
	readonly start: number;
	readonly end: number;
	/** The file, from this one. */
	readonly path: string;
	/** It is from the folder of all documents, wherever that is. */
	readonly isFromRoot?: true;
	readonly name: string;
	/** Whether the name is percent-encoded. */
	readonly isEncoded: boolean;
}

/** The places of a document that links lead to, and the links to them. */
export interface DocumentAnchors {
	/** In their order. */
	readonly headings: readonly Heading[];
	readonly links: readonly HeadingLink[];
	readonly outward: readonly OutwardLink[];
	/** Names that the document itself gives to places; these stay. */
	readonly ids: ReadonlySet<string>;
	/** How its headings may be called, the most common way first. */
	readonly slugs: readonly Slugs[];
}

/**
 * Addresses by one rule; those that would be the same are numbered.
 *
 * @param joint what stands before the number
 * @param first number of the second of a kind
 * @param given whether headings' own addresses count
 */
export const slugsBy =
	(
		slugOf: (words: string) => string,
		joint = '-',
		first = 1,
		given: 'free' | 'taken' = 'free',
	): Slugs =>
	(headings) => {
		const counts = new Map<string, number>();
		for (const { id } of headings) if (id && given === 'taken') counts.set(id, 0);
		return headings.map(({ words, id }) => {
			if (id !== undefined) return '';
			const base = slugOf(words);
			let slug = base;
			while (counts.has(slug)) {
				const count = (counts.get(base) ?? 0) + 1;
				counts.set(base, count);
				slug = `${base}${joint}${count + first - 1}`;
			}
			counts.set(slug, 0);
			return slug;
		});
	};

/** GitHub, and with it Docusaurus, Hugo, Gitea and Jekyll: letters, digits, marks, `_` and `-` in lower case. */
const github = slugsBy((words) =>
	words
		.trim()
		.toLowerCase()
		.replace(/[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc} -]/gu, '')
		.replaceAll(' ', '-'),
);

/** VitePress and VuePress: letters without their accents, one hyphen for all signs between them. */
const vitePress = slugsBy((words) =>
	words
		.normalize('NFKD')
		.replace(/[\u0300-\u036f\0-\x1f]/g, '')
		.split(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/)
		.filter((part) => part !== '')
		.join('-')
		.replace(/^\d/, '_$&')
		.toLowerCase(),
);

/** MkDocs: letters of ASCII alone; what has none of them is numbered. */
const pythonMarkdown: Slugs = (headings) => {
	const slugs = slugsBy(
		(words) =>
			words
				.normalize('NFKD')
				.replace(/[^\w\s-]/g, '')
				.trim()
				.toLowerCase()
				.replace(/[-\s]+/g, '-'),
		'_',
		1,
		'taken',
	);
	// Nothing at all counts as an address that is taken.
	return slugs([{ words: '' }, ...headings]).slice(1);
};

/** Jupyter: the words with hyphens between them. */
const jupyter = slugsBy((words) => words.trim().replaceAll(' ', '-'));

/** What Markdown's headings may be called by, the most common first. */
export const markdownSlugs: readonly Slugs[] = [github, vitePress, pythonMarkdown, jupyter];
