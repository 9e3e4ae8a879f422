/** Where the reader is on the studio page, in the fragment of its address: `#/models`, `#/chat/ID`. */

import { signal } from '@preact/signals';

export interface StudioPlace {
	/** Name of a page. */
	readonly page: string;
	/** What on that page; empty: whatever it shows first. */
	readonly rest: string;
}

function read(): StudioPlace {
	const [, page = '', rest = ''] = /^#\/([\w-]*)(?:\/(.*))?$/.exec(location.hash) ?? [];
	return { page, rest };
}

/** Follows the address: back, forward and links work. */
export const place = signal<StudioPlace>({ page: '', rest: '' });

/** Begins to follow the address. */
export function followAddress(): void {
	const look = () => {
		place.value = read();
	};
	addEventListener('hashchange', look);
	look();
}

/** The address of a page, for links. */
export const addressOf = (page: string, rest = ''): string =>
	`#/${page}${rest === '' ? '' : `/${rest}`}`;

/** Goes to a page; `replace` leaves no step to come back to. */
export function go(page: string, rest = '', replace = false): void {
	const address = addressOf(page, rest);
	if (location.hash === address) return;
	if (replace) history.replaceState(null, '', address);
	else location.hash = address;
	place.value = { page, rest };
}
