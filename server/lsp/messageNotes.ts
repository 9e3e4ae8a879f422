/** What is known of new messages beside their translations: the model's estimate, and the terms of the glossary. */

import { defined } from '../protocol/defined.ts';
import type { TextTranslation, TranslateMissingResult } from '../protocol/index.ts';
import { sameLanguage } from '../translate/languageCodes.ts';
import { freeTermFinder, type WorkspaceGlossary } from '../translate/workspaceGlossary.ts';

type Added = TranslateMissingResult['added'];

/** Kept while the messages of one file are translated. */
export class MessageNotes {
	readonly #qualities = new Map<string, number>();

	/** A translator whose estimates are kept. */
	noting(
		translate: (texts: readonly string[], from: string) => Promise<readonly TextTranslation[]>,
	): (texts: readonly string[], from: string) => Promise<readonly string[]> {
		return async (texts, from) => {
			const items = await translate(texts, from);
			texts.forEach((text, index) => {
				const quality = items[index]?.quality;
				if (quality !== undefined) this.#qualities.set(text.trim(), quality);
			});
			return items.map(({ text }) => text);
		};
	}

	/** Messages with what is known of them. */
	annotated(
		added: Added,
		{ from, to }: { readonly from?: string; readonly to: string },
		glossary: WorkspaceGlossary | undefined,
	): Added {
		const target = glossary?.column(to) ?? -1;
		const finders =
			!glossary || target < 0
				? []
				: glossary.languages.flatMap((language, column) => {
						if (column === target || (from !== undefined && !sameLanguage(language, from)))
							return [];
						return [freeTermFinder(glossary.terms(column, target), language)];
					});
		return added.map((message) => {
			const { text, translation = '' } = message;
			const said = translation.toLocaleLowerCase(to);
			const found = finders.flatMap((find) => find(text));
			const terms = [...new Map(found.map((term) => [term.source, term])).values()].map(
				({ source = '', target: wanted = '' }) => {
					const isUsed = said.includes(wanted.toLocaleLowerCase(to));
					return { source, target: wanted, isUsed };
				},
			);
			const quality = this.#qualities.get(text.trim());
			return { ...message, ...defined({ quality }), ...(terms.length > 0 ? { terms } : {}) };
		});
	}
}
