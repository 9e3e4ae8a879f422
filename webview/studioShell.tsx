/** The frame of the studio: the rail with pages and chats, what is said above every page, and the page. */

import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { ChatList, DeletedNotice } from './chatList.tsx';
import type { ChatState } from './chatState.ts';
import { ChatView } from './chatView.tsx';
import { errorText } from './errorText.ts';
import { Icon, IconButton } from './icons.tsx';
import { forgetAll, ownStores } from './ownStore.ts';
import { signedIn } from './signedInPerson.ts';
import type { StudioApi } from './studioApi.ts';
import { shownChat } from './studioChats.ts';
import type { ChatSwitch } from './studioHost.ts';
import { LoadedPage, pagesHere } from './studioPages.tsx';
import { Palette, paletteIsOpen } from './studioPalette.tsx';
import { addressOf, go, place } from './studioRoute.ts';
import { text } from './studioText.ts';
import { chooseTheme, theme, themes } from './studioTheme.ts';
import { Welcome } from './welcome.tsx';

export interface StudioParts {
	readonly api: StudioApi;
	readonly chat: ChatState;
	readonly chats: ChatSwitch;
}

/** Under what the language of the page is kept. */
export const languageChoice = 'language';

export function StudioShell({ api, chat, chats }: StudioParts): VNode {
	const pages = pagesHere(api);
	const page = pages.find(({ name }) => name === place.value.page) ?? pages[0];
	const newChat = () => {
		chats.create();
		go('chat');
	};
	const { rest } = place.value;
	useEffect(() => {
		if (page?.name !== 'chat') return;
		const model = /^with\/(.+)$/.exec(rest)?.[1];
		if (model !== undefined) {
			chat.send({ type: 'model', model: decodeURIComponent(model) });
			go('chat', '', true);
		} else if (rest !== '' && rest !== shownChat.peek())
			void chats.open(rest).then((there) => there || go('chat', '', true));
	}, [page?.name, rest, chat, chats]);
	return (
		<div class="studio">
			<header class="rail">
				<h1>
					<Mark />
					<span>Nearglot</span>
				</h1>
				<button
					type="button"
					class="rail-find"
					onClick={() => {
						paletteIsOpen.value = true;
					}}
				>
					<Icon name="find" />
					<span>{text('paletteHint')}</span>
					<kbd>Ctrl K</kbd>
				</button>
				<nav aria-label={text('tools')}>
					{pages.map(({ name, label, icon }) => (
						<a
							key={name}
							class="tab"
							href={addressOf(name)}
							aria-current={page?.name === name ? 'page' : undefined}
						>
							<Icon name={icon} />
							<span>{text(label)}</span>
						</a>
					))}
				</nav>
				<ChatList onDeleted={(id) => id === shownChat.peek() && newChat()} />
				<Choices />
			</header>
			<div class="page">
				<Notices api={api} />
				{page?.name === 'chat' && <ChatBar chat={chat} chats={chats} newChat={newChat} />}
				<main>
					{page?.name === 'chat' ? (
						<ChatView
							state={chat}
							empty={<Welcome ask={(question) => chat.send({ type: 'ask', text: question })} />}
						/>
					) : (
						page && <LoadedPage page={page} api={api} />
					)}
				</main>
			</div>
			<DeletedNotice />
			<Palette pages={pages} newChat={newChat} />
		</div>
	);
}

function Mark(): VNode {
	return (
		<svg class="mark" viewBox="0 0 128 128" aria-hidden="true">
			<rect width="128" height="128" rx="28" fill="#10333a" />
			<path
				d="M108 59c0 22-20 40-46 40-5 0-10-1-15-2l-21 11 5-20C23 81 18 70 18 59c0-22 20-40 45-40s45 18 45 40Z"
				fill="#ecf4f1"
			/>
			<path
				d="M48 76V43l31 32V42"
				fill="none"
				stroke="#10333a"
				stroke-width="8.5"
				stroke-linecap="round"
				stroke-linejoin="round"
			/>
			<circle cx="102" cy="26" r="11" fill="#f0a742" />
		</svg>
	);
}

/** What is said above every page. */
function Notices({ api }: { api: StudioApi }): VNode {
	return (
		<>
			{api.ended.value && (
				<div class="ended" role="alert">
					<p>{text('accessEnded')}</p>
					<KeyForm api={api} onOpen={() => {}} />
				</div>
			)}
			{api.signedOut.value && (
				<div class="ended" role="alert">
					<p>{text('signedOut')}</p>
					{/* A tab of its own: what is typed here stays. */}
					<a href="./" target="_blank" rel="noopener">
						{text('signIn')}
					</a>
				</div>
			)}
		</>
	);
}

const themeKeys = { system: 'themeSystem', light: 'themeLight', dark: 'themeDark' } as const;
const languageNames = { '': '', de: 'Deutsch', en: 'English', es: 'Español', fr: 'Français' };

/** Theme, language, and who is signed in. */
function Choices(): VNode {
	const { browser } = ownStores();
	const next = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system';
	return (
		<div class="rail-foot">
			<Person />
			<div class="choices">
				<select
					aria-label={text('pageLanguage')}
					value={browser.get(languageChoice) ?? ''}
					onChange={(event) => {
						browser.set(languageChoice, event.currentTarget.value);
						location.reload();
					}}
				>
					{Object.entries(languageNames).map(([code, name]) => (
						<option key={code} value={code}>
							{name || text('automatic')}
						</option>
					))}
				</select>
				<IconButton
					icon={theme.value}
					label={`${text('theme')}: ${text(themeKeys[theme.value])}`}
					onClick={() => chooseTheme(next)}
				/>
			</div>
		</div>
	);
}

/** Who is signed in at the layer in front, and the way out. */
function Person(): VNode | null {
	const person = signedIn();
	if (!person) return null;
	return (
		<div class="person">
			<span title={person.name}>{person.name}</span>
			<button
				type="button"
				class="secondary"
				onClick={() => {
					void forgetAll().then(() => location.assign(person.signOut));
				}}
			>
				{text('signOut')}
			</button>
		</div>
	);
}

interface ChatBarProps {
	readonly chat: ChatState;
	readonly chats: ChatSwitch;
	readonly newChat: () => void;
}

function ChatBar({ chat, chats, newChat }: ChatBarProps): VNode | null {
	if (chat.turns.value.length === 0) return null;
	return (
		<section class="chat-bar" aria-label={text('chat')}>
			<span class="chat-title">{chat.page.value?.conversation.title}</span>
			<button type="button" class="secondary" onClick={() => exportChat(chats)}>
				{text('exportChat')}
			</button>
			<button type="button" class="secondary" onClick={newChat}>
				{text('newChat')}
			</button>
		</section>
	);
}

/** Saves the chat as a Markdown file. */
function exportChat(chats: ChatSwitch): void {
	const chat = chats.markdown();
	if (!chat) return;
	const link = document.createElement('a');
	link.href = URL.createObjectURL(new Blob([chat.markdown], { type: 'text/markdown' }));
	link.download = `${chat.title.replace(/[^\p{L}\p{N} _-]/gu, '').trim() || 'chat'}.md`;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Takes the key of the model server for a moment, to open the page with it. */
export function KeyForm({ api, onOpen }: { api: StudioApi; onOpen: () => void }): VNode {
	const problem = useSignal('');
	return (
		<form
			class="key-form"
			onSubmit={(event) => {
				event.preventDefault();
				const input = event.currentTarget.elements.namedItem('key') as HTMLInputElement;
				api.enter(input.value.trim()).then(onOpen, (error: unknown) => {
					problem.value = errorText(error);
				});
			}}
		>
			<label>
				{text('key')}
				<input name="key" type="password" autocomplete="off" required />
			</label>
			<button type="submit">{text('open')}</button>
			{problem.value !== '' && (
				<p class="error" role="alert">
					{problem.value}
				</p>
			)}
		</form>
	);
}
