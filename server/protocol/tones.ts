/** What a chat model is told of how to translate. */

/** How the reader is addressed. */
export const tones = ['neutral', 'formal', 'informal'] as const;
/** Of the people meant. */
export const genders = ['neutral', 'female', 'male'] as const;
