/** Texts in requests of bearable size. */

/** What the translate interface takes in one request. */
export const translateLimits = { texts: 1000, characters: 50_000 };

/** Texts in order, in batches of at most so many texts and characters; a longer text goes alone. */
export function* textBatches(
	texts: readonly string[],
	max: { readonly texts: number; readonly characters: number },
): Generator<string[], void, undefined> {
	let batch: string[] = [];
	let characters = 0;
	for (const text of texts) {
		const isFull = batch.length === max.texts || characters + text.length > max.characters;
		if (batch.length > 0 && isFull) {
			yield batch;
			batch = [];
			characters = 0;
		}
		batch.push(text);
		characters += text.length;
	}
	if (batch.length > 0) yield batch;
}
