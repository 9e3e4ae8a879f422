/** What every component may need, given once at the top. */

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ChatState } from './chatState.ts';

/** Id of the turn a component is in; empty outside one. */
export const TurnContext = createContext('');

export const ChatContext = createContext<ChatState | undefined>(undefined);

/** The state of the page a component is on. */
export function useChat(): ChatState {
	const state = useContext(ChatContext);
	if (!state) throw new Error('A chat component was drawn outside a chat.');
	return state;
}
