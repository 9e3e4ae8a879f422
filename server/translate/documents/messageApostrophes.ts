/**
 * Apostrophes in messages whose readers take one before an argument for a quotation mark: ICU and the MessageFormat of
 * Java. Not every file says whether it has such readers.
 */

const elision = /(?<=\p{L})'(?=\{(?!\{))/gu;

/**
 * A translation in which `l'{name}` has the typographic apostrophe, which all readers print.
 *
 * @param source what the author wrote himself stays so in the translation
 */
export function withoutQuotedArguments(translation: string, source = ''): string {
	return source.search(elision) >= 0 ? translation : translation.replace(elision, '’');
}

/** Who reads a message: in which apostrophes quote what stands between them, or not at all. */
export type MessageReader = 'icu' | 'messageFormat';

const quotations: Readonly<Record<MessageReader, RegExp>> = {
	icu: /''|'[{}](?:[^']|'')*(?:'|$)/g,
	messageFormat: /''|'(?:[^']|'')*(?:'|$)/g,
};

/** A message without the arguments that its reader prints as they are written. */
export const withoutQuotations = (message: string, reader: MessageReader): string =>
	message.replace(quotations[reader], (quoted) => (quoted.includes('{') ? '' : quoted));
