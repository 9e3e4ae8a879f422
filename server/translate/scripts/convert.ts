/** A text in one script → in another. */
export type Convert = (text: string) => string;
