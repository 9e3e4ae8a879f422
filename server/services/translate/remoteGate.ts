/**
 * The gate behind translators elsewhere, the same as behind models here: what lost a placeholder, a conversion or
 * a tag is asked for again in smaller parts, and what does not pass then stays as it was.
 */

import { extractHtml } from '../../translate/documents/htmlDocument.ts';
import { DocumentParts } from '../../translate/documents/parts.ts';
import type { Extract } from '../../translate/documents/piece.ts';
import { placeholderPattern } from '../../translate/documents/placeholders.ts';
import { translatePieces } from '../../translate/documents/translateDocument.ts';
import { type GateRules, gateFault, holdsNodes } from '../../translate/gate/gate.ts';
import { htmlRules } from '../../translate/gate/htmlRules.ts';

const plainRules: GateRules = { conversions: true };

/** A text that is one piece, white space and all. */
const whole: Extract = Object.assign(
	(text: string) => [
		{
			...{ start: 0, end: text.length, text, delimiters: placeholderPattern },
			encode: (made: string) => made,
		},
	],
	{ rules: plainRules },
);

const dictionary =
	/<(mstrans|xtrans):dictionary\s+translation=(?:"([^"]*)"|'([^']*)'|([^\s>]*))\s*>[\s\S]*?<\/\1:dictionary\s*>/gi;

/** A text as it reads once its prescribed terms are in it. */
const withTerms = (text: string): string =>
	text.replace(
		dictionary,
		(_, __, double?: string, single?: string, bare?: string) => double ?? single ?? bare ?? '',
	);

/** What marks of profanity stand around is the translator's own. */
const withoutMarks = (text: string): string => text.replace(/<\/?profanity>/g, '');

/** Whether a translation may be given out. */
export function passesGate(source: string, made: string, textType: 'plain' | 'html'): boolean {
	const [from, to] = [withTerms(source), withoutMarks(made)];
	if (textType === 'html') return holdsNodes(withoutMarks(from), to, htmlRules);
	return gateFault(withoutMarks(from), to, plainRules) === undefined;
}

export interface Mended {
	readonly text: string;
	/** Whether nothing of it could be translated. */
	readonly isRefused: boolean;
}

/**
 * Texts whose translations did not pass, in smaller parts.
 *
 * @param translate plain texts, with short tags in them that stay
 */
export async function inSmallerParts(
	texts: readonly string[],
	textType: 'plain' | 'html',
	translate: (texts: readonly string[]) => Promise<readonly string[]>,
): Promise<Mended[]> {
	const extract = textType === 'html' ? extractHtml : whole;
	const read = texts.map(withTerms);
	const parts = new DocumentParts(
		read.flatMap((text, at) =>
			text.includes('\u0000') ? [] : [{ name: String(at), text, extract }],
		),
	);
	const { text } = await translatePieces(parts.text, parts.extract, translate);
	const changed = parts.changed(text);
	return read.map((source, at) => {
		const made = changed.get(String(at));
		return { text: made ?? source, isRefused: made === undefined };
	});
}
