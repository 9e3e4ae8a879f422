/** How each system tells a program to end. */

const everywhere = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Signals that end a command softly. Windows sends SIGBREAK for Ctrl+Break and SIGHUP when its console is closed, and
 * ends the program seconds later; it sends no SIGTERM, with which other programs end one there at once.
 */
export const endSignals = (platform: NodeJS.Platform): readonly NodeJS.Signals[] =>
	platform === 'win32' ? [...everywhere, 'SIGBREAK'] : everywhere;

/** Whether SIGHUP asks a server for a fresh look at its files, as services of Unix take it. */
export const rereadsOnHangup = (platform: NodeJS.Platform): boolean => platform !== 'win32';
