/** Entry of the studio page, which the daemon serves at `/`. */

import './theme.css';
import './chat.css';
import './studio.css';
import { signal, useSignal } from '@preact/signals';
import { render, type VNode } from 'preact';
import { type ChatState, createChatState } from './chatState.ts';
import { ChatView } from './chatView.tsx';
import { DocumentsPage } from './documentsPage.tsx';
import { errorText } from './errorText.ts';
import { ModelsPage } from './modelsPage.tsx';
import { forgetAll, leaveWithOwner } from './ownStore.ts';
import { loadPageTexts } from './pageTexts.ts';
import { signedIn } from './signedInPerson.ts';
import { StudioApi } from './studioApi.ts';
import { forgetChat, savedMarkdown, studioBridge } from './studioHost.ts';
import { text } from './studioText.ts';
import { TranscribePage } from './transcribePage.tsx';
import { TranslatePage } from './translatePage.tsx';

const tabs = ['chat', 'translate', 'documents', 'transcribe', 'models'] as const;
const shown = signal<(typeof tabs)[number]>('chat');
const needsKey = signal(false);

function Studio({ api, chat }: { api: StudioApi; chat: ChatState }): VNode {
	if (needsKey.value) return <KeyPage api={api} />;
	return (
		<div class="studio">
			<header>
				<h1>Nearglot</h1>
				<nav aria-label={text('tools')}>
					{tabs.map((tab) => (
						<button
							key={tab}
							type="button"
							class="tab"
							aria-current={shown.value === tab ? 'page' : undefined}
							onClick={() => {
								shown.value = tab;
							}}
						>
							{text(tab)}
						</button>
					))}
				</nav>
				{shown.value === 'chat' && <ChatButtons empty={chat.turns.value.length === 0} />}
				<Person />
			</header>
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
			<main>
				{shown.value === 'chat' && <ChatView state={chat} />}
				{shown.value === 'translate' && <TranslatePage api={api} />}
				{shown.value === 'documents' && <DocumentsPage api={api} />}
				{shown.value === 'transcribe' && <TranscribePage api={api} />}
				{shown.value === 'models' && <ModelsPage api={api} />}
			</main>
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
					forgetAll();
					location.assign(person.signOut);
				}}
			>
				{text('signOut')}
			</button>
		</div>
	);
}

function ChatButtons({ empty }: { empty: boolean }): VNode | null {
	if (empty) return null;
	return (
		<>
			<button type="button" class="secondary" onClick={exportChat}>
				{text('exportChat')}
			</button>
			<button
				type="button"
				class="secondary"
				onClick={() => {
					forgetChat();
					location.reload();
				}}
			>
				{text('newChat')}
			</button>
		</>
	);
}

/** Saves the chat as a Markdown file. */
function exportChat(): void {
	const chat = savedMarkdown();
	if (!chat) return;
	const link = document.createElement('a');
	link.href = URL.createObjectURL(new Blob([chat.markdown], { type: 'text/markdown' }));
	link.download = `${chat.title.replace(/[^\p{L}\p{N} _-]/gu, '').trim() || 'chat'}.md`;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function KeyPage({ api }: { api: StudioApi }): VNode {
	return (
		<main class="key-page">
			<h1>Nearglot</h1>
			{api.ended.value && <p>{text('accessEnded')}</p>}
			<KeyForm api={api} onOpen={() => location.reload()} />
		</main>
	);
}

/** Takes the key of the model server for a moment, to open the page with it. */
function KeyForm({ api, onOpen }: { api: StudioApi; onOpen: () => void }): VNode {
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

async function start(root: HTMLElement): Promise<void> {
	leaveWithOwner();
	const dark = window.matchMedia('(prefers-color-scheme: dark)');
	const paint = () => document.body.classList.toggle('vscode-dark', dark.matches);
	dark.addEventListener('change', paint);
	paint();
	document.documentElement.lang = await loadPageTexts(navigator.languages);
	const api = await StudioApi.open();
	const chat = createChatState(studioBridge(api));
	api.models().catch((error: unknown) => {
		const { code } = error as { code?: string };
		if (code === 'invalid_api_key') needsKey.value = true;
	});
	render(<Studio api={api} chat={chat} />, root);
}

const root = document.getElementById('root');
if (root) void start(root);
