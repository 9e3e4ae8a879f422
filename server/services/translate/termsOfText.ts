/** What is prescribed for the words of a text: terms of the request, of its system, and names that a small model cannot write. */

import type { Fixed } from '../../translate/mask.ts';
import { combinedTerms } from './combinedTerms.ts';
import type { TranslationPath } from './translateModels.ts';
import type { TranslateRequest } from './translateRequest.ts';
import type { CustomSystem } from './translateSystems.ts';
import { modelVocabulary, unknownNames } from './unknownNames.ts';

/** Languages that write names in capitals, and other nouns not. */
const namesInCapitals = new Set(['en', 'es', 'fr']);

/** Finds the terms of texts in a language; `undefined` when nothing is prescribed. */
export async function termsOfText(
	source: string,
	request: TranslateRequest,
	system: CustomSystem | undefined,
	{ hops }: TranslationPath,
): Promise<((text: string) => readonly Fixed[]) | undefined> {
	const prescribed = combinedTerms(request.termsFrom?.(source), system?.terms);
	const [first] = hops;
	const folder = first?.model.folder;
	const isSmall = hops.every(({ model }) => model.origin === 'built-in');
	if (folder === undefined || !isSmall || !namesInCapitals.has(source)) return prescribed;
	const vocabulary = await modelVocabulary(folder);
	if (vocabulary.size === 0) return prescribed;
	return combinedTerms(prescribed, (text) => unknownNames(text, source, vocabulary));
}
