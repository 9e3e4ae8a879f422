/** The chats of the studio page: by day, with names that can be changed, pins, and a way back after deleting. */

import { signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { ShelvedChat } from './chatShelf.ts';
import { IconButton } from './icons.tsx';
import {
	changeChat,
	chats,
	deleteChat,
	deletedChat,
	restoreChat,
	shownChat,
	titleOf,
} from './studioChats.ts';
import { addressOf, place } from './studioRoute.ts';
import { type StudioKey, text } from './studioText.ts';

const renamed = signal('');
const dayMs = 86_400_000;

/** Under which heading a chat stands. */
function headingOf({ pinned, conversation }: ShelvedChat, now: Date): StudioKey {
	if (pinned) return 'pinned';
	const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
	const time = new Date(conversation.updatedAt).getTime();
	if (time >= midnight) return 'today';
	if (time >= midnight - dayMs) return 'yesterday';
	return time >= midnight - 7 * dayMs ? 'thisWeek' : 'earlier';
}

const headings = ['pinned', 'today', 'yesterday', 'thisWeek', 'earlier'] as const;

export function ChatList({ onDeleted }: { onDeleted: (id: string) => void }): VNode {
	const words = useSignal('');
	const now = new Date();
	const wanted = words.value.trim().toLowerCase();
	const found = chats.value.filter((chat) => wanted === '' || holds(chat, wanted));
	return (
		<section class="chats" aria-label={text('chats')}>
			{chats.value.length > 5 && (
				<input
					type="search"
					aria-label={text('searchChats')}
					placeholder={text('searchChats')}
					value={words.value}
					onInput={(event) => {
						words.value = event.currentTarget.value;
					}}
				/>
			)}
			<div class="chat-groups">
				{headings.map((heading) => {
					const group = found.filter((chat) => headingOf(chat, now) === heading);
					if (group.length === 0) return null;
					return (
						<div key={heading}>
							<h2>{text(heading)}</h2>
							<ul>
								{group.map((chat) => (
									<Row key={chat.id} chat={chat} onDeleted={onDeleted} />
								))}
							</ul>
						</div>
					);
				})}
			</div>
		</section>
	);
}

function holds(chat: ShelvedChat, words: string): boolean {
	if (titleOf(chat).toLowerCase().includes(words)) return true;
	return chat.conversation.turns.some((turn) => turn.text.toLowerCase().includes(words));
}

function Row({ chat, onDeleted }: { chat: ShelvedChat; onDeleted: (id: string) => void }): VNode {
	const input = useRef<HTMLInputElement>(null);
	const title = titleOf(chat) || text('newChat');
	const isShown = place.value.page === 'chat' && shownChat.value === chat.id;
	const keep = () => {
		const next = input.current?.value.trim() ?? '';
		renamed.value = '';
		if (next !== '' && next !== title) void changeChat(chat, { title: next.slice(0, 200) });
	};
	if (renamed.value === chat.id) {
		return (
			<li>
				<form
					onSubmit={(event) => {
						event.preventDefault();
						keep();
					}}
				>
					<input
						ref={(element) => {
							input.current = element;
							if (element && document.activeElement !== element) element.select();
						}}
						aria-label={text('renameChat', title)}
						defaultValue={title}
						maxLength={200}
						onBlur={keep}
						onKeyDown={(event) => {
							if (event.key === 'Escape') renamed.value = '';
						}}
					/>
				</form>
			</li>
		);
	}
	return (
		<li class={isShown ? 'shown' : ''}>
			<a
				href={addressOf('chat', chat.id)}
				title={title}
				aria-current={isShown ? 'true' : undefined}
			>
				{title}
			</a>
			<span class="chat-buttons">
				<IconButton
					icon="edit"
					label={text('renameChat', title)}
					onClick={() => {
						renamed.value = chat.id;
					}}
				/>
				<IconButton
					icon="pin"
					label={text(chat.pinned ? 'unpinChat' : 'pinChat', title)}
					onClick={() => void changeChat(chat, { pinned: !chat.pinned })}
				/>
				<IconButton
					icon="trash"
					label={text('deleteChat', title)}
					onClick={() => void deleteChat(chat).then(() => onDeleted(chat.id))}
				/>
			</span>
		</li>
	);
}

/** Says that a chat is deleted, and takes it back. */
export function DeletedNotice(): VNode | null {
	const chat = deletedChat.value;
	if (!chat) return null;
	return (
		<div class="toast" role="status">
			<span>{text('chatDeleted', titleOf(chat))}</span>
			<button type="button" class="link" onClick={() => void restoreChat()}>
				{text('undo')}
			</button>
			<IconButton
				icon="remove"
				label={text('close')}
				onClick={() => {
					deletedChat.value = undefined;
				}}
			/>
		</div>
	);
}
