/** Which lines are on the screen or close to it: only their words become elements of their own. */

import { type Signal, signal } from '@preact/signals';

/** Distance from the screen at which a line is drawn word by word. */
const margin = '600px';

export interface LineVisibility {
	/** Watches an element; the signal says whether it is near. */
	watch(element: Element): { readonly near: Signal<boolean>; end(): void };
	close(): void;
}

export function createLineVisibility(): LineVisibility {
	const known = new Map<Element, Signal<boolean>>();
	const observer = new IntersectionObserver(
		(entries) => {
			for (const { target, isIntersecting } of entries) {
				const near = known.get(target);
				if (near) near.value = isIntersecting;
			}
		},
		{ rootMargin: margin },
	);
	return {
		watch: (element) => {
			const near = signal(false);
			known.set(element, near);
			observer.observe(element);
			return {
				near,
				end: () => {
					known.delete(element);
					observer.unobserve(element);
				},
			};
		},
		close: () => observer.disconnect(),
	};
}
