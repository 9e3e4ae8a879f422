/** Entry of the studio page, which the daemon serves at `/`. */

import './theme.css';
import './chat.css';
import './studio.css';
import { signal } from '@preact/signals';
import { render, type VNode } from 'preact';
import { ChatPage } from './chatPage.tsx';
import { createChatState } from './chatState.ts';
import { DocumentsPage } from './documentsPage.tsx';
import { ModelsPage } from './modelsPage.tsx';
import { StudioApi } from './studioApi.ts';
import { forgetChat, studioBridge } from './studioHost.ts';
import { TranscribePage } from './transcribePage.tsx';
import { TranslatePage } from './translatePage.tsx';

const api = new StudioApi();
const chat = createChatState(studioBridge(api));
const tabs = ['Chat', 'Translate', 'Documents', 'Transcribe', 'Models'] as const;
const shown = signal<(typeof tabs)[number]>('Chat');
const needsKey = signal(false);

function Studio(): VNode {
	if (needsKey.value) return <KeyForm />;
	return (
		<div class="studio">
			<header>
				<h1>Nearglot</h1>
				<nav aria-label="Tools">
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
							{tab}
						</button>
					))}
				</nav>
				{shown.value === 'Chat' && (
					<button
						type="button"
						class="secondary"
						onClick={() => {
							forgetChat();
							location.reload();
						}}
					>
						New chat
					</button>
				)}
			</header>
			<main>
				{shown.value === 'Chat' && <ChatPage state={chat} />}
				{shown.value === 'Translate' && <TranslatePage api={api} />}
				{shown.value === 'Documents' && <DocumentsPage api={api} />}
				{shown.value === 'Transcribe' && <TranscribePage api={api} />}
				{shown.value === 'Models' && <ModelsPage api={api} />}
			</main>
		</div>
	);
}

function KeyForm(): VNode {
	return (
		<form
			class="key-form"
			onSubmit={(event) => {
				event.preventDefault();
				const input = event.currentTarget.elements.namedItem('key') as HTMLInputElement;
				api.key = input.value.trim();
				location.reload();
			}}
		>
			<h1>Nearglot</h1>
			<label>
				Key of this server
				<input name="key" type="password" autocomplete="off" required />
			</label>
			<button type="submit">Open</button>
		</form>
	);
}

api.models().catch((error: unknown) => {
	const { code } = error as { code?: string };
	if (code === 'invalid_api_key') needsKey.value = true;
});
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.body.classList.toggle('vscode-dark', dark.matches);
dark.addEventListener('change', paint);
paint();
const root = document.getElementById('root');
if (root) render(<Studio />, root);
