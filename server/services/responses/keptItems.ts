/** Items as they are kept, and the ids they are kept under. */

import type { ResponseItem } from '../../protocol/routes/responseItems.ts';
import type { KeptItem } from './answerStore.ts';

/** An item that has an id. */
export type NamedItem = ResponseItem & { readonly id: string };

export const keptItem = (item: NamedItem): KeptItem => ({
	id: item.id,
	json: JSON.stringify(item),
});

export const itemOfKept = ({ json }: KeptItem): NamedItem => JSON.parse(json) as NamedItem;

const prefixes: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		message: 'msg',
		function_call: 'fc',
		function_call_output: 'fco',
		custom_tool_call: 'ctc',
		custom_tool_call_output: 'ctco',
		reasoning: 'rs',
	}),
);

/** An id of this server for an item. */
export const newItemId = ({ type }: { readonly type: string }, randomId: () => string): string =>
	`${prefixes.get(type) ?? 'item'}_${randomId()}`;
