/** What the translation page holds; it stays while other pages are shown, and over reloads of the tab. */

import { computed, effect, signal } from '@preact/signals';
import { ownStores } from './ownStore.ts';
import type { StudioApi, Translation } from './studioApi.ts';
import { chosenSystem } from './systemChoice.tsx';

const storeName = 'translate';
const recentName = 'languages';
/** Milliseconds without a key after which the text is translated. */
const quietMs = 500;
const maxRecent = 4;

export const source = signal('');
/** Language code; empty: detected. */
export const from = signal('');
export const to = signal('de');
export const isHtml = signal(false);
/** Codes that were translated into last, the last one first. */
export const recent = signal<readonly string[]>(['de', 'fr', 'es', 'en']);

/** What was translated, for one pair of languages. */
interface Shown extends Translation {
	readonly source: string;
	readonly from: string;
	readonly to: string;
}

const made = signal<Shown | undefined>(undefined);
const running = signal<AbortController | undefined>(undefined);
export const problem = signal<unknown>(undefined);
export const isBusy = computed(() => running.value !== undefined);

/** The translation into the language that is chosen now; of another one nothing is shown. */
export const result = computed(() => {
	const shown = made.value;
	if (!shown || source.value.trim() === '' || problem.value !== undefined) return undefined;
	return shown.to === to.value && shown.from === from.value ? shown : undefined;
});

let started = false;

/** Begins to translate what is written. */
export function startTranslating(api: StudioApi): void {
	if (started) return;
	started = true;
	const { tab, browser } = ownStores();
	const kept = (name: string, store: typeof tab): unknown => {
		try {
			return JSON.parse(store.get(name) ?? 'null');
		} catch {
			return null;
		}
	};
	const own = kept(storeName, tab) as Partial<Record<string, unknown>> | null;
	if (typeof own?.['text'] === 'string' && source.value === '') source.value = own['text'];
	if (typeof own?.['from'] === 'string') from.value = own['from'];
	if (typeof own?.['to'] === 'string') to.value = own['to'];
	if (own?.['html'] === true) isHtml.value = true;
	const languages = kept(recentName, browser);
	if (Array.isArray(languages) && languages.every((code) => typeof code === 'string'))
		recent.value = languages.slice(0, maxRecent);
	effect(() => {
		const state = { text: source.value, from: from.value, to: to.value, html: isHtml.value };
		tab.set(storeName, JSON.stringify(state));
	});
	effect(() => {
		browser.set(recentName, JSON.stringify(recent.value));
	});
	effect(() => translateSoon(api));
}

/** Reads what it depends on, and translates when nothing of that has changed for a moment. */
function translateSoon(api: StudioApi): () => void {
	const asked = { source: source.value, from: from.value, to: to.value };
	const options = {
		from: asked.from,
		to: asked.to,
		html: isHtml.value,
		system: chosenSystem.value,
	};
	void tries.value;
	const stop = new AbortController();
	const timer = setTimeout(() => void translate(), asked.source.trim() === '' ? 0 : quietMs);
	const translate = async () => {
		problem.value = undefined;
		if (asked.source.trim() === '') return;
		running.value = stop;
		try {
			const answer = await api.translate(asked.source, options, stop.signal);
			made.value = { ...answer, ...asked };
		} catch (error) {
			if (!stop.signal.aborted) problem.value = error;
		} finally {
			if (running.peek() === stop) running.value = undefined;
		}
	};
	return () => {
		clearTimeout(timer);
		stop.abort();
		if (running.peek() === stop) running.value = undefined;
	};
}

const tries = signal(0);

/** Once more, with what has come since. */
export function translateAgain(): void {
	tries.value++;
}

/** Chooses the language to translate into, and remembers that. */
export function chooseTarget(code: string): void {
	to.value = code;
	recent.value = [code, ...recent.value.filter((other) => other !== code)].slice(0, maxRecent);
}

/** Turns the languages round; what was the translation is the text. */
export function swap(): void {
	const shown = result.peek();
	const before = from.peek() || shown?.detected;
	if (before === undefined) return;
	const text = shown?.text;
	from.value = to.peek();
	chooseTarget(before);
	if (text !== undefined && text !== '') source.value = text;
}

/** Begins with a text, as examples do. */
export function startTranslation(text: string): void {
	source.value = text;
}
