/** Passes signals on to a child whose end is waited for. */

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * On Windows a listener keeps this process until its child has ended, and nothing is passed on: a console tells all its
 * processes itself, and there is no other way but to kill.
 * @returns what ends it
 */
export function forwardSignals(child, source = process, platform = process.platform) {
	const isWindows = platform === 'win32';
	const names = isWindows ? [...signals, 'SIGBREAK'] : signals;
	const listeners = names.map((signal) => [signal, () => isWindows || child.kill(signal)]);
	for (const [signal, listener] of listeners) source.on(signal, listener);
	return () => {
		for (const [signal, listener] of listeners) source.off(signal, listener);
	};
}
