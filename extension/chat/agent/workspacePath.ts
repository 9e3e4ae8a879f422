/** Paths that a model names: only what lies in the folders of the window. Knows no editor. */

/** A folder of the window, by the name that paths begin with when there are several. */
export interface NamedFolder {
	readonly name: string;
}

/** Where a path leads: the folder and the parts below it. */
export interface PlaceInFolder<F extends NamedFolder> {
	readonly folder: F;
	readonly parts: readonly string[];
}

/** Names of files that may hold keys or passwords: a model reads them only when a person allows it. */
const secrets =
	/^(?:\.env(?:\..+)?|\.npmrc|\.netrc|\.pypirc|\.git-credentials|id_[a-z\d]+|.*\.(?:pem|key|pfx|p12|kdbx|jks))$/i;
/** Folders that are no text of the workspace's own. */
const closed = new Set(['.git', '.hg', '.svn']);

/** Files that make programs run by themselves, or say what may: whoever allowed edits did not mean these. */
const powers =
	/(?:^|\/)(?:\.vscode|\.devcontainer|\.idea|\.husky|\.github|\.circleci)\/|\.code-workspace$|(?:^|\/)\.(?:envrc|gitlab-ci\.yml|bashrc|profile|gitconfig|gitmodules|gitattributes)$/i;

/** Whether a file has a say over what runs. */
export const hasPowers = (parts: readonly string[]): boolean => powers.test(parts.join('/'));

/** The place of a path below a folder; `undefined` when it leads elsewhere. */
export function placeInFolder<F extends NamedFolder>(
	path: string,
	folders: readonly F[],
): PlaceInFolder<F> | undefined {
	if (/^(?:[\\/]|[A-Za-z]:|~)/.test(path) || path.includes('\0')) return undefined;
	const parts = path.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
	if (parts.includes('..') || parts.some((part) => closed.has(part.toLowerCase())))
		return undefined;
	const [first] = folders;
	const named = folders.length > 1 ? folders.find(({ name }) => name === parts[0]) : undefined;
	if (named) return { folder: named, parts: parts.slice(1) };
	return first && { folder: first, parts };
}

/** Whether a file may hold what nobody else should read. */
export const mayHoldSecrets = (parts: readonly string[]): boolean =>
	secrets.test(parts.at(-1) ?? '');
