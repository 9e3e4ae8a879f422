/**
 * What the store has to tell the user of this process: a file was set aside, a lock is waited for. The
 * command line prints it, the daemon logs it; nobody has to hand a logger through to every file.
 */

import { channel } from 'node:diagnostics_channel';

const notices = channel('nearglot:notice');

/** @param text one sentence for people */
export const notify = (text: string): void => notices.publish(text);

/** Hears of everything that is told in this process from now on. */
export function onNotice(listener: (text: string) => void): Disposable {
	const subscriber = (text: unknown) => listener(String(text));
	notices.subscribe(subscriber);
	return { [Symbol.dispose]: () => void notices.unsubscribe(subscriber) };
}
