/** Text of byte tokens. A model may say half of a character and go on with another one: half a character is nothing to read. */

/** The text without what stands for bytes that are no character. */
export const wholeCharacters = (text: string): string => text.replaceAll('\uFFFD', '');
