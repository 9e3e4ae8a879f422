/** What is offered while `/`, `@` or `#` is typed: a list that the keys of the input move through. */

import { type Signal, useSignal } from '@preact/signals';
import type { RefObject, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { mentionAt } from './mentionAt.ts';
import { useChat } from './page.ts';
import type { Mention } from './protocol.ts';

/** Milliseconds without a key after which the host is asked. */
const quietMs = 80;
export const mentionListId = 'mentions';

export interface Mentions {
	readonly items: Signal<readonly Mention[]>;
	/** Place of the item that Enter takes. */
	readonly chosen: Signal<number>;
	/** After the text or the cursor has moved. */
	look(): void;
	/** Whether a key was meant for the list. */
	onKey(event: KeyboardEvent): boolean;
	take(item: Mention): void;
	close(): void;
}

/** The list that belongs to an input. */
export function useMentions(input: RefObject<HTMLTextAreaElement | null>): Mentions {
	const { draft, mentions, send, page } = useChat();
	const query = useSignal('');
	const chosen = useSignal(0);
	const items = useSignal<readonly Mention[]>([]);
	const offered = mentions.value;
	useEffect(() => {
		items.value = query.value !== '' && offered?.query === query.value ? offered.items : [];
		chosen.value = 0;
	}, [offered, query.value, items, chosen]);
	useEffect(() => {
		if (query.value === '') return;
		const timer = setTimeout(() => send({ type: 'mentions', query: query.value }), quietMs);
		return () => clearTimeout(timer);
	}, [query.value, send, query]);
	const found = () => {
		const element = input.current;
		return element && page.peek()?.capabilities.editor
			? mentionAt(element.value, element.selectionStart)
			: undefined;
	};
	const close = () => {
		query.value = '';
	};
	const take = (item: Mention) => {
		const place = found();
		const element = input.current;
		if (!place || !element) return;
		const { value } = element;
		const end = place.start + place.query.length;
		const words = item.insert ?? '';
		draft.value = value.slice(0, place.start) + words + value.slice(end);
		if (item.insert === undefined) send({ type: 'mention', id: item.id });
		close();
		element.focus();
		// After the value was drawn.
		requestAnimationFrame(() => {
			element.selectionStart = element.selectionEnd = place.start + words.length;
		});
	};
	return {
		items,
		chosen,
		look: () => {
			query.value = found()?.query ?? '';
		},
		onKey: ({ key, shiftKey, isComposing }) => {
			const { length } = items.value;
			if (length === 0 || isComposing) return false;
			if (key === 'ArrowDown') chosen.value = (chosen.value + 1) % length;
			else if (key === 'ArrowUp') chosen.value = (chosen.value + length - 1) % length;
			else if (key === 'Escape') close();
			else if ((key === 'Enter' && !shiftKey) || key === 'Tab') {
				const item = items.value[chosen.value];
				if (item) take(item);
			} else return false;
			return true;
		},
		take,
		close,
	};
}

const optionId = (index: number) => `mention-${index}`;

/** Id of the chosen item, for the input that keeps the focus. */
export const chosenId = ({ items, chosen }: Mentions): string | undefined =>
	items.value.length > 0 ? optionId(chosen.value) : undefined;

export function MentionList({ mentions }: { mentions: Mentions }): VNode | null {
	const { t } = useChat();
	const { items, chosen } = mentions;
	if (items.value.length === 0) return null;
	return (
		<div class="mentions" id={mentionListId} role="listbox" aria-label={t('mentions')}>
			{items.value.map((item, index) => (
				// biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the focus stays in the input, whose keys move here
				<div
					key={item.id}
					id={optionId(index)}
					role="option"
					aria-selected={index === chosen.value}
					ref={(element) => {
						if (index === chosen.value) element?.scrollIntoView({ block: 'nearest' });
					}}
					onPointerDown={(event) => event.preventDefault()}
					onClick={() => mentions.take(item)}
				>
					<span class="mention-label">{item.label}</span>
					<span class="mention-detail">{item.detail}</span>
				</div>
			))}
		</div>
	);
}
