/**
 * Whether the end of a log stays in view while it grows. Only the reader leaves the end: with the wheel, a finger,
 * a key or the scroll bar. Whatever else moves the text (a box that gets its true height, a line that goes) does not.
 */

import { type Signal, signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';

/** How close to the end, in pixels, counts as reading along. */
const nearPx = 48;

export interface ScrollLock {
	/** Whether what is new comes into view by itself. */
	readonly following: Signal<boolean>;
	/** Brings the end into view, and keeps it there. */
	toEnd(): void;
	/** After something was drawn: brings the end into view where it is followed. */
	keep(): void;
}

const away: ReadonlySet<string> = new Set(['ArrowUp', 'PageUp', 'Home']);

/** Watches the reader's hands on a box that scrolls. */
export function useScrollLock(box: RefObject<HTMLElement | null>): ScrollLock {
	const lock = useMemo((): ScrollLock => {
		const following = signal(true);
		const keep = () => {
			const element = box.current;
			if (element && following.peek()) element.scrollTop = element.scrollHeight;
		};
		const toEnd = () => {
			following.value = true;
			keep();
		};
		return { following, toEnd, keep };
	}, [box]);
	useEffect(() => {
		const element = box.current;
		if (!element) return;
		const { following } = lock;
		let held = false;
		let lastTop = element.scrollTop;
		const leave = () => {
			if (element.scrollTop > 0) following.value = false;
		};
		const ends = new AbortController();
		const on = <K extends keyof HTMLElementEventMap>(
			type: K,
			run: (event: HTMLElementEventMap[K]) => void,
		) => element.addEventListener(type, run, { signal: ends.signal, passive: true });
		const hold = () => {
			held = true;
		};
		const release = () => {
			held = false;
		};
		on('wheel', ({ deltaY }) => deltaY < 0 && leave());
		on('keydown', ({ key, shiftKey }) => {
			held = true;
			if (away.has(key) || (key === ' ' && shiftKey)) leave();
		});
		on('pointerdown', hold);
		on('touchstart', hold);
		for (const type of ['keyup', 'pointerup', 'pointercancel', 'touchend', 'touchcancel', 'blur'])
			addEventListener(type, release, { signal: ends.signal });
		on('scroll', () => {
			const { scrollHeight, scrollTop, clientHeight } = element;
			if (scrollTop < lastTop) {
				if (held) following.value = false;
			} else if (scrollHeight - scrollTop - clientHeight < nearPx) following.value = true;
			lastTop = scrollTop;
		});
		return () => ends.abort();
	}, [box, lock]);
	return lock;
}
