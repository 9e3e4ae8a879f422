/** Which diagrams are small enough to be drawn: the page stands still meanwhile, and draws again whenever the chat is opened. */

/** Longest diagram, in characters and lines. */
const [maxLength, maxLines] = [8000, 200];

/** What makes the layout long, and how much of it there may be. Each bound alone is about a second of work at most. */
const bounds: readonly (readonly [part: RegExp, most: number])[] = [
	// `a & b --> c & d` is four links, so they grow with the square of what is written.
	[/&(?!#?\w+;)/g, 30],
	// Links and messages: several may stand in one line.
	[/[-=.~]{2,}/g, 250],
	// What holds others, which may hold others.
	[/^\s*(?:subgraph\b|state\b.*\{)/gm, 8],
];

/** Whether a diagram is laid out without the page standing still for long. */
export const isSmallDiagram = (text: string): boolean =>
	text.length <= maxLength &&
	text.split('\n').length <= maxLines &&
	bounds.every(([part, most]) => (text.match(part)?.length ?? 0) <= most);
