/** Texts in requests of bearable size. */

/** Texts in order, in batches of at most so many texts and characters; a longer text goes alone. */
export function* textBatches(
	texts: readonly string[],
	most: { readonly texts: number; readonly characters: number },
): Generator<string[], void, undefined> {
	let batch: string[] = [];
	let characters = 0;
	for (const text of texts) {
		const isFull = batch.length === most.texts || characters + text.length > most.characters;
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
