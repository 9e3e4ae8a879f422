/** Where the finished part of a growing text ends. */

/** Index after the last finished sentence or line. */
export function lastSentenceEnd(text: string): number {
	let end = 0;
	for (const match of text.matchAll(/[.!?。！？](?=\s)|\n/g)) end = match.index + match[0].length;
	return end;
}
