/** Icons as vnodes: strokes in the current colour on a 16-unit grid, hidden from screen readers. */

import type { VNode } from 'preact';

const paths = {
	send: 'M2.5 8h10M8.5 3.5 13 8l-4.5 4.5',
	stop: 'M4 4h8v8H4z',
	copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7',
	done: 'm3 8.5 3 3 7-7',
	insert: 'M3 3.5h10M3 12.5h5M8 8h5m-2.5-2.5L13 8l-2.5 2.5',
	apply: 'M8 3v7M4.5 6.5h7M4.5 13h7',
	replace: 'M3 5h8.5L9 2.5M13 11H4.5L7 13.5',
	newFile: 'M9 2.5H4v11h8v-8zM9 2.5v3h3M8 7.5v4M6 9.5h4',
	edit: 'm10.5 3 2.5 2.5L6 12.5H3.5V10z',
	again: 'M12.5 5.5A5 5 0 1 0 13 8M13 2.5v3h-3',
	previous: 'm9.5 4-4 4 4 4',
	next: 'm6.5 4 4 4-4 4',
	attach: 'm11.5 7-4 4a2 2 0 0 1-3-3l5-5a3 3 0 0 1 4.3 4.2L8 13',
	remove: 'm4.5 4.5 7 7m0-7-7 7',
	play: 'M5 3.2v9.6L12.5 8z',
	pause: 'M5 3.5v9M11 3.5v9',
	undo: 'M6 3.5 3 6.5l3 3M3 6.5h6.5a3.2 3.2 0 0 1 0 6.4H7',
	redo: 'm10 3.5 3 3-3 3m3-3H6.5a3.2 3.2 0 0 0 0 6.4H9',
	find: 'M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zm3 7 3.5 3.5',
	export: 'M8 9.5v-7M5.5 5 8 2.5 10.5 5M3.5 8.5v4.5h9V8.5',
	globe:
		'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM2.7 8h10.6M8 2.5c-4 3.5-4 7.5 0 11 4-3.5 4-7.5 0-11z',
	microphone:
		'M8 2.2a2 2 0 0 0-2 2v3.6a2 2 0 0 0 4 0V4.2a2 2 0 0 0-2-2zM3.8 7.6a4.2 4.2 0 0 0 8.4 0M8 11.8v2',
	down: 'm4 6.5 4 4 4-4',
	chat: 'M13.5 7.6c0 2.7-2.5 4.9-5.6 4.9-.7 0-1.3-.1-1.9-.3L3.2 13.5l.6-2.6A4.6 4.6 0 0 1 2.4 7.6c0-2.7 2.5-4.9 5.5-4.9s5.6 2.2 5.6 4.9z',
	documents: 'M9.5 2.5H4v11h8V5zM9.5 2.5V5H12M6 7.5h4M6 9.5h4M6 11.5h2.5',
	models: 'm8 2.2 5.2 2.9v5.8L8 13.8l-5.2-2.9V5.1zM2.8 5.1 8 8m0 0 5.2-2.9M8 8v5.8',
	people:
		'M6 3a2.3 2.3 0 1 0 0 4.6A2.3 2.3 0 0 0 6 3zM1.8 13a4.2 4.2 0 0 1 8.4 0M10.3 3.3a2.2 2.2 0 0 1 0 4M12 9.6a4 4 0 0 1 2.3 3.4',
	jobs: 'M3 3.5h10v3H3zM3 9.500h10v3H3zM5.500 5h1.500M5.500 11h5',
	requests: 'M3 4h10M3 8h5.5M3 12h4M11.5 8v5M9.5 11l2 2 2-2',
	more: 'M3.200 8h.01M8 8h.01M12.800 8h.01',
	split: 'M3 4h6M3 12h10M12.500 4v3.500H6M8 5.500l-2 2 2 2',
	merge: 'M3 4h10M3 12h10M8 5.500v5m-2-1.800 2 2 2-2',
	plus: 'M8 3v10M3 8h10',
	pin: 'm9.5 2.5 4 4-2.2.8-2 2 .1 2.6-5.3-5.3 2.6.1 2-2zM6.3 9.7l-3.3 3.3',
	trash:
		'M3 4.5h10M6.5 4.5v-1.500h3v1.500M4.500 4.500l.6 8.500h5.800l.6-8.500M6.800 7v3.500M9.200 7v3.500',
	eraser: 'm6.500 12.500-3.300-3.300 6-6 4 4-5.300 5.300H13M6.500 5.900l4 4',
	columns: 'M2.500 3h4.500v10H2.500zM9 3h4.500v10H9z',
	swap: 'M3 5.500h9.500L10 3M13 10.500H3.500L6 13',
	light:
		'M8 5.300a2.700 2.700 0 1 0 0 5.400 2.700 2.700 0 0 0 0-5.400zM8 1.800v1.400M8 12.800v1.400M1.800 8h1.400M12.800 8h1.400M3.600 3.600l1 1M11.400 11.400l1 1M12.400 3.600l-1 1M4.600 11.400l-1 1',
	dark: 'M12.800 9.600A5.300 5.300 0 0 1 6.400 3.200a5.300 5.300 0 1 0 6.400 6.400z',
	system: 'M2.500 3.500h11v7h-11zM6 13h4M8 10.500V13',
	speaker: 'M3 6.200v3.600h2.200L8.500 12.500v-9L5.200 6.200zM10.700 6a3 3 0 0 1 0 4',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }): VNode {
	return (
		<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
			<path d={paths[name]} />
		</svg>
	);
}

/** A button that is an icon; its label is read aloud and shown on hover. */
export function IconButton(props: {
	icon: IconName;
	label: string;
	onClick: () => void;
	disabled?: boolean;
}): VNode {
	return (
		<button
			type="button"
			class="icon-button"
			aria-label={props.label}
			title={props.label}
			onClick={props.onClick}
			disabled={props.disabled ?? false}
		>
			<Icon name={props.icon} />
		</button>
	);
}
