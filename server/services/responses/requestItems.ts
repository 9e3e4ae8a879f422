/** What a request to `/v1/responses` is about: what comes before its input, and its input with what it refers to. */

import type { ResponseItem } from '../../protocol/routes/responseItems.ts';
import type { ResponsesRequest } from '../../protocol/routes/responses.ts';
import { aboutField } from '../fieldNames.ts';
import type { AnswerStore } from './answerStore.ts';
import { itemOfKept, type NamedItem, newItemId } from './keptItems.ts';

/** What keeps items, and names new ones. */
export interface ItemSource {
	readonly store: AnswerStore;
	readonly randomId: () => string;
}

/** @throws AppError `not_found` that names the field whose response, conversation or item is not there */
export async function itemsOf(
	{ store, randomId }: ItemSource,
	person: string,
	{ previous_response_id: previous, conversation, input }: ResponsesRequest,
): Promise<{ readonly before: readonly ResponseItem[]; readonly input: readonly NamedItem[] }> {
	const kept =
		previous !== undefined
			? await aboutField('previous_response_id', store.context(person, previous))
			: conversation !== undefined
				? await aboutField('conversation', store.conversationItems(person, conversation))
				: [];
	const wanted = input.filter(({ type }) => type === 'item_reference').map(({ id }) => String(id));
	const found = new Map(
		wanted.length === 0
			? []
			: (await aboutField('input', store.itemsById(person, wanted))).map((item) => [
					item.id,
					itemOfKept(item),
				]),
	);
	const named = input.map((item): NamedItem => {
		const referred = item.type === 'item_reference' ? found.get(String(item['id'])) : undefined;
		return {
			...(referred ?? item),
			id: referred ? String(item['id']) : newItemId(item, randomId),
		};
	});
	return { before: kept.map(itemOfKept), input: named };
}
