/** Words of Japanese, Chinese or Korean that are being put together. */

/** Whether a key belongs to the input method. Safari says so by the code 229 alone when a word is accepted. */
export const isComposing = (event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
	event.isComposing || event.keyCode === 229;
