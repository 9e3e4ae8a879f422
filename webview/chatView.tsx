/** The chat: the log of turns above, the input below. Used by the view and by the studio. */

import { signal } from '@preact/signals';
import { Fragment, type RefObject, type VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { firstRead } from '../server/protocol/conversation.ts';
import type { Turn } from '../server/protocol/index.ts';
import { Announcer } from './announce.tsx';
import type { ChatState } from './chatState.ts';
import { Composer } from './composer.tsx';
import { ChatContext, useChat } from './page.ts';
import { TurnView } from './turn.tsx';

export function ChatView({ state }: { state: ChatState }): VNode {
	const onClick = (event: MouseEvent) => {
		const link = (event.target as Element | null)?.closest('a[href]');
		if (!link) return;
		event.preventDefault();
		state.send({ type: 'link', href: (link as HTMLAnchorElement).href });
	};
	return (
		<ChatContext.Provider value={state}>
			{/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: links inside handle keys; this only redirects their clicks */}
			<div class="chat" onClick={onClick}>
				<Log />
				<Announcer />
				<Composer />
			</div>
		</ChatContext.Provider>
	);
}

/** How close to the end, in pixels, counts as reading along. */
const nearPx = 48;

function Log(): VNode {
	const { page, turns, t } = useChat();
	const first = firstRead(turns.value);
	const from = useFirstShown(page.value?.conversation.id, turns.value.length);
	const box = useRef<HTMLElement>(null);
	const following = useRef(true);
	const lastTop = useRef(0);
	const onScroll = () => {
		const element = box.current;
		if (!element) return;
		const { scrollHeight, scrollTop, clientHeight } = element;
		if (scrollHeight - scrollTop - clientHeight < nearPx) following.current = true;
		// What grows below moves the end away, too: only who goes up goes away.
		else if (scrollTop < lastTop.current) following.current = false;
		lastTop.current = scrollTop;
	};
	return (
		<section
			class="log"
			ref={box}
			onScroll={onScroll}
			role="log"
			aria-live="off"
			aria-label={t('chatLog')}
			// biome-ignore lint/a11y/noNoninteractiveTabindex: the log is scrolled with the keyboard
			tabIndex={0}
		>
			{turns.value.length === 0 && (
				<div class="empty">
					<p class="title">{t('emptyTitle')}</p>
					<p>{t(page.value?.model.startsWith('team:') ? 'emptyTeam' : 'emptyBody')}</p>
				</div>
			)}
			{groups(turns.value, from).map(([index, group]) => (
				<div key={index} class="turns">
					{group.map((turn) => (
						<Fragment key={turn.id}>
							{turn === first && <p class="cut">{t('cut')}</p>}
							<TurnView turn={turn} />
						</Fragment>
					))}
				</div>
			))}
			<Follow box={box} following={following} />
		</section>
	);
}

/** Turns in one box: what is out of view is left out box by box, and each box is watched in every frame. */
const groupSize = 10;

/** The turns from `from` on in groups, each with the index of its first. */
function groups(turns: readonly Turn[], from: number): [number, readonly Turn[]][] {
	const found: [number, readonly Turn[]][] = [];
	for (let first = from; first < turns.length; first += groupSize)
		found.push([first, turns.slice(first, first + groupSize)]);
	return found;
}

/** Turns drawn at once; those before them follow while nothing else is to do. */
const atOnce = 2 * groupSize;

/**
 * Index of the first turn that is drawn, a multiple of the group size: a long chat begins with its end
 * and grows upwards.
 */
function useFirstShown(conversation: string | undefined, count: number): number {
	const state = useMemo(() => ({ conversation: '', from: signal(0) }), []);
	if (conversation !== undefined && conversation !== state.conversation) {
		state.conversation = conversation;
		state.from.value = firstOf(count);
	}
	const from = state.from.value;
	useEffect(() => {
		if (from === 0) return;
		const more = () => {
			state.from.value = Math.max(0, from - atOnce);
		};
		// Not every browser knows idle time.
		if (!('requestIdleCallback' in window)) {
			const timer = setTimeout(more, 50);
			return () => clearTimeout(timer);
		}
		const idle = requestIdleCallback(more, { timeout: 500 });
		return () => cancelIdleCallback(idle);
	}, [from, state]);
	return Math.min(from, firstOf(count));
}

/** Where the last {@link atOnce} turns, or some more of them, begin. */
const firstOf = (count: number) =>
	Math.max(0, Math.floor((count - atOnce) / groupSize) * groupSize);

/**
 * Keeps the end in view while text arrives, and brings it there with each new question; apart from the log,
 * which need not be drawn again.
 */
function Follow(props: {
	box: RefObject<HTMLElement | null>;
	following: { current: boolean };
}): null {
	const { turns, streaming, progress } = useChat();
	const { box, following } = props;
	const length = streaming.value?.text.value.length ?? 0;
	const question = turns.value.findLast(({ role }) => role === 'user')?.id;
	useEffect(() => {
		following.current = true;
	}, [question, following]);
	useEffect(() => {
		const element = box.current;
		if (element && following.current) element.scrollTop = element.scrollHeight;
	}, [turns.value, length, progress.value, box, following]);
	useEffect(() => {
		const element = box.current;
		if (!element) return;
		// Code is coloured and boxes get their true height after they were drawn.
		const observer = new ResizeObserver(() => {
			if (following.current) element.scrollTop = element.scrollHeight;
		});
		for (const child of element.children) observer.observe(child);
		return () => observer.disconnect();
	}, [turns.value, box, following]);
	return null;
}
