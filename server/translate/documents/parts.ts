/**
 * Documents that are made of several texts, such as the parts of a zip file or the cells of a notebook: one text
 * with all of them, so that they are translated together and in one language.
 */

import { pushAll } from '../../protocol/lists.ts';
import { type Extract, moved, type Piece } from './piece.ts';

/** One of the texts. */
export interface DocumentPart {
	readonly name: string;
	readonly text: string;
	readonly extract: Extract;
}

/** Between two parts. No text format allows it. */
const border = '\u0000\u0000';

export class DocumentParts {
	readonly #parts: readonly DocumentPart[];

	/** @throws RangeError when a text holds what stands between texts */
	constructor(parts: readonly DocumentPart[]) {
		this.#parts = parts;
		const bad = parts.find(({ text }) => text.includes('\u0000'));
		if (bad) throw new RangeError(`${bad.name} holds a character with the code 0.`);
	}

	get text(): string {
		return this.#parts.map(({ text }) => text).join(border);
	}

	/** How the words of {@link text} are found. */
	get extract(): Extract {
		return extractOf(this.#parts.map(({ extract }) => extract));
	}

	/** The texts that differ, of what has become of {@link text}, by their names. */
	changed(text: string): Map<string, string> {
		const found = new Map<string, string>();
		text.split(border).forEach((one, at) => {
			const part = this.#parts[at];
			if (part && part.text !== one) found.set(part.name, one);
		});
		return found;
	}
}

function extractOf(extracts: readonly Extract[]): Extract {
	const each = (text: string, of: (extract: Extract, own: string) => Piece[]): Piece[] => {
		const pieces: Piece[] = [];
		let start = 0;
		text.split(border).forEach((own, at) => {
			const extract = extracts[at];
			if (extract) pushAll(pieces, moved(of(extract, own), start));
			start += own.length + border.length;
		});
		return pieces;
	};
	const before: Extract = (text, to) =>
		each(text, (extract, own) => extract.before?.(own, to) ?? []);
	return Object.assign(
		(text: string, to?: string) => each(text, (extract, own) => extract(own, to)),
		{
			...(extracts.some((extract) => extract.before) ? { before } : {}),
			prepare: (text: string, to: string) =>
				text
					.split(border)
					.map((own, at) => extracts[at]?.prepare?.(own, to) ?? own)
					.join(border),
		},
	);
}
