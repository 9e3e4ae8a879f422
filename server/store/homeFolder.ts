/** The home folder of the user. */

import { homedir } from 'node:os';

/** Its path; empty where the system knows none, as for a number of a user without a name and without `HOME`. */
export function homeFolder(ask: () => string = homedir): string {
	try {
		return ask();
	} catch {
		return '';
	}
}
