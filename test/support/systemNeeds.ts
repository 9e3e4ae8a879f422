/**
 * What a test needs and not every system has, as the reason that is printed where it is skipped; `false` where it is
 * there. `test/scripts/testHabits.test.ts` finds tests that need something of this and do not say so.
 */

const windows = process.platform === 'win32';

/** Ending a process softly by a signal. Windows knows Ctrl+C of a console alone: `server/cli/endSignals.ts`. */
export const needsSignals =
	windows && 'Windows ends a process at once, whichever signal it is sent';
export const needsFreezing = windows && 'Windows freezes no process for another';
export const needsModes = windows && 'Windows has access lists, no mode bits';
/** Links to files; one to a folder needs no right as a `junction`. */
export const needsFileLinks = windows && 'links to files need a right on Windows';
export const needsShell = windows && 'Windows runs no scripts that begin with #!';
export const needsLinux = process.platform !== 'linux' && 'only Linux has what it looks at';
