/** Why a file cannot be had, in words. */

import { errno, systemReason } from '../protocol/index.ts';

/** Shorter than those for the product's own files. */
const reasons: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		EACCES: 'you may not read it',
		EISDIR: 'it is a folder',
		ENOENT: 'there is no such file',
		ENOTDIR: 'there is no such file',
		EPERM: 'you may not read it',
	}),
);

/** Whether a name came as bytes that are no UTF-8: what stands for them opens no file. */
export const isUnreadableName = (path: string): boolean => path.includes('\uFFFD');

export const unreadableName =
	'its name is not written in UTF-8. Rename it, or send it through standard input: - < FILE';

/** The reason in an error of the file system. */
export function fileProblem(error: unknown): string {
	const { path = '' } = error as NodeJS.ErrnoException;
	const code = errno(error) ?? '';
	if (code === 'ENOENT' && isUnreadableName(path)) return unreadableName;
	return reasons.get(code) ?? systemReason(error) ?? String(error);
}
