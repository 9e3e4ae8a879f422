/** What a model is shown to fill a gap: the text around it, and pieces of other files that look like it. Knows no editor. */

/** Characters around the cursor that are sent: near code says most, and reading takes time. */
const reach = { before: 3000, after: 1000 };
/** The shown text begins at one of so many places: then a model has read most of it already when a key is pressed. */
const anchorEvery = 1000;
/** Lines of a piece of another file, and how far apart pieces may begin. */
const [pieceLines, pieceStep] = [24, 8];
/** Characters of all pieces together. */
const maxPieces = 1500;
/** Share of names that a piece and the lines before the cursor have in common before it is worth reading. */
const minLikeness = 0.12;
/** Characters of a file that are looked at. */
const maxFile = 200_000;
/** Lines before the cursor that a piece is compared with. */
const comparedLines = 24;

/** A file that was looked at lately. */
export interface OtherText {
	/** Path as it is shown to the model. */
	readonly path: string;
	readonly text: string;
}

/** The text before and after an offset that is sent. */
export function textAround(
	text: string,
	offset: number,
): { readonly prefix: string; readonly suffix: string } {
	const from = Math.max(0, Math.ceil((offset - reach.before) / anchorEvery) * anchorEvery);
	const line = from === 0 ? 0 : text.indexOf('\n', from) + 1;
	const start = line > 0 && line <= offset ? line : from;
	return { prefix: text.slice(start, offset), suffix: text.slice(offset, offset + reach.after) };
}

/** What is left for a model that reads less: the nearest of it. */
export const nearestAround = (prefix: string, suffix: string) => ({
	prefix: prefix.slice(-reach.before / 4),
	suffix: suffix.slice(0, reach.after / 4),
});

/**
 * Pieces of other files that have names in common with the lines before the cursor, as comments; empty when there is
 * none. The likest piece comes last, next to the code.
 *
 * @param marker What begins a comment of one line.
 */
export function likePieces(prefix: string, others: readonly OtherText[], marker: string): string {
	const wanted = namesIn(prefix.split('\n').slice(-comparedLines).join('\n'));
	if (wanted.size < 3) return '';
	const found = others
		.map((other) => likestPiece(wanted, other))
		.filter(({ likeness }) => likeness >= minLikeness)
		.sort((a, b) => b.likeness - a.likeness);
	const chosen: string[] = [];
	let room = maxPieces;
	for (const { path, lines } of found) {
		const piece = [`From ${path}:`, ...lines].map((line) => `${marker} ${line}`.trimEnd());
		const text = `${piece.join('\n')}\n`;
		if (text.length > room) continue;
		room -= text.length;
		chosen.unshift(text);
	}
	return chosen.join('');
}

interface Piece {
	readonly path: string;
	readonly lines: readonly string[];
	readonly likeness: number;
}

function likestPiece(wanted: ReadonlySet<string>, { path, text }: OtherText): Piece {
	const lines = text.slice(0, maxFile).split('\n');
	let best: Piece = { path, lines: [], likeness: 0 };
	for (let at = 0; at < lines.length; at += pieceStep) {
		const own = lines.slice(at, at + pieceLines);
		const likeness = shared(wanted, namesIn(own.join('\n')));
		if (likeness > best.likeness) best = { path, lines: own, likeness };
	}
	return best;
}

/** Names of a piece of code. */
const namesIn = (text: string): Set<string> => new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu));

/** Jaccard's index: what two sets share of what either has. */
function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	let both = 0;
	for (const name of a) if (b.has(name)) both++;
	return both === 0 ? 0 : both / (a.size + b.size - both);
}

const hashes = [
	...['python', 'ruby', 'shellscript', 'perl', 'r', 'julia', 'yaml', 'toml', 'makefile'],
	...['dockerfile', 'elixir', 'coffeescript', 'powershell', 'properties', 'nix', 'terraform'],
];
const dashes = ['sql', 'lua', 'haskell', 'ada', 'elm', 'vhdl'];
const none = ['html', 'xml', 'css', 'json', 'markdown', 'plaintext', 'vue', 'svelte'];

/** What begins a comment of one line in a language; `undefined` where there is no such comment. */
export function commentMarker(language: string): string | undefined {
	if (none.includes(language)) return undefined;
	if (hashes.includes(language)) return '#';
	return dashes.includes(language) ? '--' : '//';
}
