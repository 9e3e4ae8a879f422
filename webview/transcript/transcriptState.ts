/** What the page of a recording knows, as signals, and what it asks of its host. */

import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type {
	TranscriptDocument,
	TranscriptHostMessage,
	TranscriptJob,
	TranscriptLine,
	TranscriptPageMessage,
	TranscriptState,
	Waveform,
} from '../../server/protocol/index.ts';
import type { Bridge } from '../bridge.ts';
import { shownValue } from '../numberText.ts';
import { transcriptStrings } from '../transcriptStrings.ts';
import { placeOf } from './place.ts';
import { createPlayer, type Player } from './player.ts';
import { createSearch, type Search } from './transcriptSearch.ts';

export type TranscriptBridge = Bridge<TranscriptPageMessage, TranscriptHostMessage>;
export type TranscriptText = keyof typeof transcriptStrings;

export interface TranscriptPageState {
	readonly send: (message: TranscriptPageMessage) => void;
	/** A text in the user's language; `{0}` … are replaced. */
	readonly t: (key: TranscriptText, ...values: readonly (string | number)[]) => string;
	readonly player: Player;
	readonly search: Search;
	/** Absent until the host has answered. */
	readonly state: Signal<TranscriptState | undefined>;
	readonly job: Signal<TranscriptJob | null>;
	readonly document: Signal<TranscriptDocument | null>;
	readonly waveform: Signal<Waveform | undefined>;
	/** Lines of the transcript, or those heard so far. */
	readonly lines: ReadonlySignal<readonly TranscriptLine[]>;
	/** Seconds; from whoever knows. */
	readonly duration: ReadonlySignal<number>;
	/** Where the sound is: index of a line, −1 before the first, and of a word in it. */
	readonly place: ReadonlySignal<{ readonly line: number; readonly word: number }>;
	/** Id of the line that is being corrected. */
	readonly editing: Signal<number | undefined>;
	/** Counts up when the search field is to be focused. */
	readonly findAsked: Signal<number>;
}

export const TranscriptContext = createContext<TranscriptPageState | undefined>(undefined);

/** The state of the page a component is on. */
export function useTranscript(): TranscriptPageState {
	const state = useContext(TranscriptContext);
	if (!state) throw new Error('A component was drawn outside the page of a recording.');
	return state;
}

interface Kept {
	readonly time?: number;
	readonly speed?: number;
}

export function createTranscriptState(bridge: TranscriptBridge): TranscriptPageState {
	const state = signal<TranscriptState | undefined>(undefined);
	const strings = signal<Readonly<Record<string, string>>>(transcriptStrings);
	const job = signal<TranscriptJob | null>(null);
	const document = signal<TranscriptDocument | null>(null);
	const heard = signal<readonly TranscriptLine[]>([]);
	const waveform = signal<Waveform | undefined>(undefined);
	const findAsked = signal(0);
	const player = createPlayer(() => bridge.send({ type: 'unplayable' }));
	const lines = computed(() => document.value?.lines ?? heard.value);
	const duration = computed(
		() => waveform.value?.duration ?? document.value?.duration ?? player.duration.value,
	);
	bridge.onMessage((message) => {
		switch (message.type) {
			case 'state':
				state.value = message.state;
				strings.value = message.strings;
				job.value = message.state.job;
				return;
			case 'document':
				document.value = message.document;
				heard.value = [];
				return;
			case 'line': {
				const { line, cuts } = message;
				const { value } = document;
				if (!value) return;
				const lines = value.lines.map((one) => (one.id === line.id ? line : one));
				document.value = { ...value, lines, cuts };
				return;
			}
			case 'transcribed':
				heard.value = [...heard.value, ...message.lines];
				return;
			case 'job':
				job.value = message.job;
				return;
			case 'waveform':
				waveform.value = message.waveform;
				return;
			case 'media':
				return player.open(message.url);
			case 'find':
				findAsked.value++;
		}
	});
	const kept = (bridge.load() ?? {}) as Kept;
	if (typeof kept.speed === 'number') player.setSpeed(kept.speed);
	if (typeof kept.time === 'number') player.seek(kept.time);
	effect(() => {
		const { value: speed } = player.speed;
		// While it plays the position changes with every frame; where it stops is what counts.
		if (!player.playing.value) bridge.store({ time: player.time.peek(), speed });
	});
	return {
		send: (message) => bridge.send(message),
		t: (key, ...values) =>
			(strings.value[key] ?? transcriptStrings[key]).replace(/\{(\d)\}/g, (_, place) =>
				shownValue(values[Number(place)]),
			),
		player,
		search: createSearch(document, lines),
		state,
		job,
		document,
		waveform,
		lines,
		duration,
		place: computed(() => placeOf(lines.value, player.time.value)),
		editing: signal<number | undefined>(undefined),
		findAsked,
	};
}
