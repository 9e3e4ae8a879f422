/** Entry of the studio page, which the daemon serves at `/`. */

import './theme.css';
import './chat.css';
import './studio.css';
import { signal, useSignal } from '@preact/signals';
import { render, type VNode } from 'preact';
import { createChatState } from './chatState.ts';
import { errorText } from './errorText.ts';
import { leaveWithOwner, ownStores } from './ownStore.ts';
import { loadPageTexts } from './pageTexts.ts';
import { StudioApi } from './studioApi.ts';
import { studioBridge } from './studioHost.ts';
import { followAddress, place } from './studioRoute.ts';
import { KeyForm, languageChoice, type StudioParts, StudioShell } from './studioShell.tsx';
import { text } from './studioText.ts';
import { startTheme } from './studioTheme.ts';

const needsKey = signal(false);

function Studio(parts: StudioParts): VNode {
	if (needsKey.value) return <KeyPage api={parts.api} />;
	return <StudioShell {...parts} />;
}

function KeyPage({ api }: { api: StudioApi }): VNode {
	const isOpen = useSignal(false);
	return (
		<main class="key-page" aria-busy={isOpen.value}>
			<h1>Nearglot</h1>
			{api.ended.value && <p>{text('accessEnded')}</p>}
			<KeyForm
				api={api}
				onOpen={() => {
					isOpen.value = true;
					location.reload();
				}}
			/>
		</main>
	);
}

async function start(root: HTMLElement): Promise<void> {
	leaveWithOwner();
	startTheme();
	const chosen = ownStores().browser.get(languageChoice);
	document.documentElement.lang = await loadPageTexts([
		...(chosen ? [chosen] : []),
		...navigator.languages,
	]);
	const api = await StudioApi.open();
	followAddress();
	const { page, rest } = place.value;
	const { bridge, chats } = studioBridge(api, page === 'chat' && !rest.includes('/') ? rest : '');
	const chat = createChatState(bridge);
	api.models().catch((error: unknown) => {
		const { code } = error as { code?: string };
		if (code === 'invalid_api_key') needsKey.value = true;
		else console.warn(errorText(error));
	});
	render(<Studio api={api} chat={chat} chats={chats} />, root);
}

const root = document.getElementById('root');
if (root) void start(root);
