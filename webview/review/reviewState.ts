/** What the page of new messages knows: its rows, what is shown of them, and what is sent to the extension. */

import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type {
	ReviewHostMessage,
	ReviewPageMessage,
	ReviewRow,
	ReviewState,
} from '../../server/protocol/index.ts';
import type { Bridge } from '../bridge.ts';
import { shownValue } from '../numberText.ts';
import { reviewStrings } from '../reviewStrings.ts';

export type ReviewBridge = Bridge<ReviewPageMessage, ReviewHostMessage>;
type Key = keyof typeof reviewStrings;

/** Which rows are shown. */
export type Shown = 'all' | 'open' | 'check' | 'accepted' | 'written';

/** Below this estimate (0…1) a translation is to be checked. */
export const lowQuality = 0.6;

/** Whether a person should look twice: a fault, a term that is not used, a low estimate, nothing translated. */
export function needsCheck({ fault, terms, quality, text, source }: ReviewRow): boolean {
	return (
		fault !== undefined ||
		text.trim() === '' ||
		text.trim() === source.trim() ||
		terms?.some(({ isUsed }) => !isUsed) === true ||
		(quality !== undefined && quality < lowQuality)
	);
}

export interface ReviewPageState {
	readonly state: Signal<ReviewState | undefined>;
	readonly rows: Signal<ReadonlyMap<string, ReviewRow>>;
	readonly language: Signal<string>;
	readonly shown: Signal<Shown>;
	readonly words: Signal<string>;
	/** Rows that match what is looked for. */
	readonly visible: ReadonlySignal<readonly ReviewRow[]>;
	readonly accepted: ReadonlySignal<number>;
	/** Row whose text is written now. */
	readonly editing: Signal<string>;
	t(key: Key, ...values: (string | number)[]): string;
	send(message: ReviewPageMessage): void;
}

/** @param bridge the way to the extension */
export function createReviewState(bridge: ReviewBridge): ReviewPageState {
	const strings = signal<Readonly<Record<string, string>>>(reviewStrings);
	const state = signal<ReviewState | undefined>(undefined);
	const rows = signal<ReadonlyMap<string, ReviewRow>>(new Map());
	const [language, shown, words, editing] = [
		signal(''),
		signal<Shown>('all'),
		signal(''),
		signal(''),
	];
	bridge.onMessage((message) => {
		if (message.type === 'state') strings.value = { ...reviewStrings, ...message.strings };
		const known = message.type === 'state' ? [] : rows.value;
		state.value = message.state;
		if (message.type === 'state' || message.rows.length > 0)
			rows.value = new Map([...known, ...message.rows.map((row) => [row.id, row] as const)]);
	});
	const isShown = (row: ReviewRow): boolean => {
		switch (shown.value) {
			case 'all':
				return true;
			case 'check':
				return row.decision === 'open' && needsCheck(row);
			default:
				return row.decision === shown.value;
		}
	};
	const visible = computed(() => {
		const wanted = words.value.trim().toLocaleLowerCase();
		return [...rows.value.values()].filter(
			(row) =>
				(language.value === '' || row.to === language.value) &&
				(isShown(row) || row.id === editing.value) &&
				[row.key, row.source, row.text].some((text) => text.toLocaleLowerCase().includes(wanted)),
		);
	});
	return {
		...{ state, rows, language, shown, words, visible, editing },
		accepted: computed(
			() => [...rows.value.values()].filter(({ decision }) => decision === 'accepted').length,
		),
		t: (key, ...values) =>
			(strings.value[key] ?? reviewStrings[key]).replace(/\{(\d)\}/g, (_, place: string) =>
				shownValue(values[Number(place)]),
			),
		send: (message) => bridge.send(message),
	};
}
