/** Long runs that somebody ends: what they have started is ended, too. */

const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls back when this process is asked to end, which it then does by itself; until disposed. */
export function onEndSignal(end: () => void): Disposable {
	for (const name of names) process.on(name, end);
	return {
		[Symbol.dispose]: () => {
			for (const name of names) process.off(name, end);
		},
	};
}
