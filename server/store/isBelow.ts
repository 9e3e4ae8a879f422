/** Whether a path lies in a folder. */

import { sep } from 'node:path';

/**
 * Whether a path lies below a folder; both are whole paths and spelled alike. The root of a drive (`M:\\`) ends with the
 * separator already.
 */
export const isBelow = (path: string, folder: string, separator: string = sep): boolean =>
	path.startsWith(folder.endsWith(separator) ? folder : folder + separator);
