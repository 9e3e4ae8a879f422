/** The chat: the log of turns above, the input below. Used by the view and by the studio. */

import { signal } from '@preact/signals';
import { Fragment, type RefObject, type VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { firstRead } from '../server/protocol/conversation.ts';
import type { Turn } from '../server/protocol/index.ts';
import { AgentBar } from './agentBar.tsx';
import { Announcer } from './announce.tsx';
import type { ChatState } from './chatState.ts';
import { Composer } from './composer.tsx';
import { EmptyChat } from './emptyChat.tsx';
import { Icon } from './icons.tsx';
import { ChatContext, useChat } from './page.ts';
import { type ScrollLock, useScrollLock } from './scrollLock.ts';
import { TurnView } from './turn.tsx';

/** @param empty what is shown before the first question, in place of two lines */
export function ChatView({ state, empty }: { state: ChatState; empty?: VNode }): VNode {
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
				<Log empty={empty} />
				<Announcer />
				<AgentBar />
				<Composer />
			</div>
		</ChatContext.Provider>
	);
}

function Log({ empty }: { empty: VNode | undefined }): VNode {
	const { page, turns, t } = useChat();
	const first = firstRead(turns.value);
	// Before the host has told which chat is shown, nobody knows that it is empty.
	const isEmpty = page.value !== undefined && turns.value.length === 0;
	const from = useFirstShown(page.value?.conversation.id, turns.value.length);
	const box = useRef<HTMLElement>(null);
	const lock = useScrollLock(box);
	return (
		<div class="log-frame">
			<section
				class="log"
				ref={box}
				role="log"
				aria-live="off"
				aria-label={t('chatLog')}
				// biome-ignore lint/a11y/noNoninteractiveTabindex: the log is scrolled with the keyboard
				tabIndex={0}
			>
				{isEmpty && (empty ?? <EmptyChat />)}
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
				<Follow box={box} lock={lock} />
			</section>
			<Newest lock={lock} />
		</div>
	);
}

/** Leads back to the end of the log; there only while the reader is elsewhere. */
function Newest({ lock }: { lock: ScrollLock }): VNode | null {
	const { t } = useChat();
	if (lock.following.value) return null;
	return (
		<button type="button" class="newest secondary" onClick={() => lock.toEnd()}>
			<Icon name="down" />
			{t('newest')}
		</button>
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
function Follow(props: { box: RefObject<HTMLElement | null>; lock: ScrollLock }): null {
	const { turns, streaming, progress, page } = useChat();
	const { box, lock } = props;
	const length = streaming.value?.text.value.length ?? 0;
	const question = turns.value.findLast(({ role }) => role === 'user')?.id;
	const answering = page.value?.answering;
	useEffect(() => {
		if (question !== undefined || answering) lock.toEnd();
	}, [question, answering, lock]);
	const isEmpty = turns.value.length === 0;
	useEffect(() => {
		// What greets in an empty chat is read from its beginning.
		if (!isEmpty) lock.keep();
		else if (box.current) box.current.scrollTop = 0;
	}, [turns.value, length, progress.value, lock]);
	useEffect(() => {
		const element = box.current;
		if (!element || isEmpty) return;
		// Code is coloured and boxes get their true height after they were drawn; the log itself is resized, too.
		const observer = new ResizeObserver(lock.keep);
		for (const child of [element, ...element.children]) observer.observe(child);
		return () => observer.disconnect();
	}, [turns.value, box, lock]);
	return null;
}
