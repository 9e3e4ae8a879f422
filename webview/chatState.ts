/** What the chat page knows, as signals: a token that arrives redraws one paragraph, not the page. */

import { computed, type Signal, signal } from '@preact/signals';
import { branch, updateTurn } from '../server/protocol/conversation.ts';
import type { AgentState, ChatProgress, Turn } from '../server/protocol/index.ts';
import { joinText } from '../server/protocol/joinText.ts';
import type { Bridge } from './bridge.ts';
import { shownValue } from './numberText.ts';
import {
	chatStrings,
	type HostMessage,
	type PageMessage,
	type PageState,
	type StringKey,
	type Strings,
} from './protocol.ts';

/** Text of an answer while it is being written. */
export interface Streaming {
	readonly id: string;
	readonly text: Signal<string>;
	readonly reasoning: Signal<string>;
}

export interface ChatState {
	readonly page: Signal<PageState | undefined>;
	readonly turns: Signal<readonly Turn[]>;
	readonly streaming: Signal<Streaming | undefined>;
	readonly progress: Signal<ChatProgress | null>;
	/** Questions (by id) whose answers are shown side by side. */
	readonly comparing: Signal<ReadonlySet<string>>;
	readonly draft: Signal<string>;
	/** What the agent may do, asks and has done; `undefined` where there is none. */
	readonly agent: Signal<AgentState | undefined>;
	/** What the draft was before it was dictated to; `undefined` while nobody dictates. */
	readonly dictatedTo: Signal<string | undefined>;
	/** What was dictated since. */
	readonly dictated: Signal<string>;
	readonly tokens: Signal<{ readonly tokens: number; readonly limit: number | null } | undefined>;
	/** What the host offers for what is being typed. */
	readonly mentions: Signal<Extract<HostMessage, { type: 'mentions' }> | undefined>;
	/** Grows when the host wants the input to have the focus. */
	readonly focusAsked: Signal<number>;
	readonly send: (message: PageMessage) => void;
	/** A text in the user's language; `{0}`, `{1}` … are replaced. */
	readonly t: (key: StringKey, ...values: (string | number)[]) => string;
}

/** Makes the state and connects it to the host. */
export function createChatState(bridge: Bridge): ChatState {
	const page = signal<PageState | undefined>(undefined);
	const strings = signal<Strings>(chatStrings);
	const streaming = signal<Streaming | undefined>(undefined);
	const saved = bridge.load();
	const state: ChatState = {
		page,
		turns: computed(() => (page.value ? branch(page.value.conversation) : [])),
		streaming,
		progress: signal(null),
		comparing: signal(new Set()),
		draft: signal(typeof saved === 'string' ? saved : ''),
		agent: signal(undefined),
		dictatedTo: signal(undefined),
		dictated: signal(''),
		tokens: signal(undefined),
		mentions: signal(undefined),
		focusAsked: signal(0),
		send: (message) => bridge.send(message),
		t: (key, ...values) =>
			strings.value[key].replace(/\{(\d)\}/g, (_, place) => shownValue(values[Number(place)])),
	};
	state.draft.subscribe((text) => bridge.store(text));
	const grow = oncePerFrame(streaming);
	bridge.onMessage((message) => {
		if (message.type === 'delta') return grow.add(message);
		grow.flush();
		if (message.type === 'state') strings.value = { ...chatStrings, ...message.strings };
		receive(state, message);
	});
	bridge.send({ type: 'ready' });
	return state;
}

/** Collects what arrives between two frames: the page is drawn once for all of it. */
function oncePerFrame(streaming: Signal<Streaming | undefined>) {
	let waiting: { id: string; text: string; reasoning: string } | undefined;
	const flush = () => {
		const open = streaming.value;
		const delta = waiting;
		waiting = undefined;
		if (!delta || open?.id !== delta.id) return;
		if (delta.text !== '') open.text.value += delta.text;
		if (delta.reasoning !== '') open.reasoning.value += delta.reasoning;
	};
	return {
		flush,
		add: ({ id, text, reasoning }: { id: string; text: string; reasoning: string }) => {
			if (waiting?.id === id) {
				waiting.text += text;
				waiting.reasoning += reasoning;
				return;
			}
			flush();
			waiting = { id, text, reasoning };
			requestAnimationFrame(flush);
		},
	};
}

/** An answer with the words that are shown of it. */
function withWords(
	{ page, streaming }: ChatState,
	turn: Extract<HostMessage, { type: 'end' }>['turn'],
): Turn {
	const open = streaming.value?.id === turn.id ? streaming.value : undefined;
	const known = page.value?.conversation.turns.find(({ id }) => id === turn.id);
	const reasoning = open ? open.reasoning.value : known?.reasoning;
	return {
		...turn,
		text: open ? open.text.value : (known?.text ?? ''),
		...(reasoning ? { reasoning } : {}),
	};
}

/** The draft as it is when nothing was typed beside what was dictated. */
const dictated = ({ dictatedTo, dictated: pieces }: ChatState): string =>
	(dictatedTo.value ?? '') + pieces.value;

function addDictated({ draft, dictated: pieces }: ChatState, text: string): void {
	const piece = joinText(draft.value, text, '');
	draft.value += piece;
	pieces.value += piece;
}

function receive(state: ChatState, message: HostMessage): void {
	const { page, streaming } = state;
	switch (message.type) {
		case 'state': {
			page.value = message.state;
			state.progress.value = message.state.progress;
			const { answering, conversation } = message.state;
			const turn = conversation.turns.find(({ id }) => id === answering);
			const known = streaming.value;
			if (turn && known?.id === turn.id) {
				known.text.value = turn.text;
				known.reasoning.value = turn.reasoning ?? '';
			} else {
				streaming.value = turn && {
					id: turn.id,
					text: signal(turn.text),
					reasoning: signal(turn.reasoning ?? ''),
				};
			}
			return;
		}
		case 'delta':
			return;
		case 'end':
			receive(state, { ...message, type: 'turn', turn: withWords(state, message.turn) });
			return;
		case 'turn':
			if (!page.value) return;
			page.value = {
				...page.value,
				answering: message.answering,
				conversation: updateTurn(page.value.conversation, message.turn),
			};
			// The words before a call of tools are in the turn's steps now.
			if (streaming.value?.id === message.turn.id && message.answering === message.turn.id) {
				streaming.value.text.value = message.turn.text;
			}
			if (message.answering === null) {
				streaming.value = undefined;
				state.progress.value = null;
			}
			return;
		case 'progress':
			state.progress.value = message.progress;
			return;
		case 'tokens':
			state.tokens.value = message;
			return;
		case 'context':
			if (page.value) page.value = { ...page.value, context: message.context };
			return;
		case 'mentions':
			state.mentions.value = message;
			return;
		case 'draft':
			state.draft.value = message.text;
			state.focusAsked.value++;
			return;
		case 'agent':
			state.agent.value = message.agent;
			return;
		case 'dictating':
			// What was typed meanwhile stays, and what was sent does not come again.
			if (message.state === 'takenBack' && state.draft.value === dictated(state))
				state.draft.value = state.dictatedTo.value ?? state.draft.value;
			state.dictatedTo.value = message.state === 'on' ? state.draft.value : undefined;
			state.dictated.value = '';
			state.focusAsked.value++;
			return;
		case 'dictated':
			addDictated(state, message.text);
			return;
		case 'focus':
			state.focusAsked.value++;
	}
}
