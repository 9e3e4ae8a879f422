/** Entry of the chat page inside VS Code. */

import './theme.css';
import './chat.css';
import { render } from 'preact';
import { vscodeBridge } from './bridge.ts';
import { createChatState } from './chatState.ts';
import { ChatView } from './chatView.tsx';

const root = document.getElementById('root');
if (root) {
	render(
		<main class="whole">
			<h1 class="visually-hidden">Nearglot</h1>
			<ChatView state={createChatState(vscodeBridge())} />
		</main>,
		root,
	);
}
