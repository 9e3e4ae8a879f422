/** Light, dark, or as the system has it; kept in the browser. */

import { signal } from '@preact/signals';
import { ownStores } from './ownStore.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const themeName = 'theme';

export const theme = signal<Theme>('system');

/** Paints the page, now and whenever the system or the reader changes their mind. */
export function startTheme(): void {
	const { browser } = ownStores();
	const kept = browser.get(themeName);
	theme.value = themes.find((one) => one === kept) ?? 'system';
	const dark = window.matchMedia('(prefers-color-scheme: dark)');
	const paint = () => {
		const isDark = theme.value === 'system' ? dark.matches : theme.value === 'dark';
		document.body.classList.toggle('vscode-dark', isDark);
		document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
	};
	dark.addEventListener('change', paint);
	theme.subscribe(paint);
}

export function chooseTheme(next: Theme): void {
	ownStores().browser.set(themeName, next);
	theme.value = next;
}
