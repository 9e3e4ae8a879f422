/** Paths that a model names: only what lies in the folders of the window. Knows no editor. */

/** A folder of the window, by the name that paths begin with when there are several. */
export interface NamedFolder {
	readonly name: string;
}

/** Where a path leads: the folder and the parts below it. */
export interface PlaceInFolder<F extends NamedFolder> {
	readonly folder: F;
	readonly parts: readonly string[];
	/** The path as people read it: with the folder's name when there are several. */
	readonly shown: string;
}

/** Folders that are no text of the workspace's own. */
const closed: ReadonlySet<string> = new Set(['.git', '.hg', '.svn']);

/**
 * Parts of paths by which a system may mean another file than their letters say: streams (`a:b`), short names (`GIT~1`),
 * devices, and ends that Windows leaves out.
 */
const ambiguous =
	/[:\p{C}\p{Zl}\p{Zp}]|~\d|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/iu;

const plain = (part: string): string => part.normalize('NFKC').toLowerCase();

/** The place of a path below a folder; `undefined` when it leads elsewhere, or nobody can be sure where. */
export function placeInFolder<F extends NamedFolder>(
	path: string,
	folders: readonly F[],
): PlaceInFolder<F> | undefined {
	if (/^(?:[\\/]|[A-Za-z]:|~)/.test(path) || path.length > 1000) return undefined;
	const parts = path.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
	if (parts.some((part) => part === '..' || ambiguous.test(part) || closed.has(plain(part))))
		return undefined;
	const [first] = folders;
	if (!first) return undefined;
	const isMany = folders.length > 1;
	const named = isMany ? folders.find(({ name }) => name === parts[0]) : undefined;
	const folder = named ?? first;
	const own = named ? parts.slice(1) : parts;
	const shown = (isMany ? [folder.name, ...own] : own).join('/');
	return { folder, parts: own, shown };
}

/** Folders and files that make programs run by themselves, or tell tools and models what to do. */
const powerFolders =
	/^(?:\.vscode|\.devcontainer|\.idea|\.husky|\.github|\.gitlab|\.circleci|\.cargo|\.yarn|\.cursor|\.claude|\.nearglot|\.continue|node_modules|\.venv|venv)$/;
const powerFiles =
	/^(?:.*\.code-workspace|\.devcontainer\.json|\.envrc|\.gitlab-ci\.yml|\.bashrc|\.bash_profile|\.zshrc|\.zshenv|\.profile|\.gitconfig|\.gitmodules|\.gitattributes|\.mcp\.json|mcp\.json|agents\.md|claude\.md|\.pre-commit-config\.yaml|\.yarnrc\.yml|\.pnpmfile\.cjs|package\.json|makefile|gnumakefile|cmakelists\.txt|.*\.cmake|build\.rs|build\.gradle(?:\.kts)?|settings\.gradle(?:\.kts)?|conftest\.py|setup\.py|sitecustomize\.py|noxfile\.py|dockerfile|justfile|rakefile|\.?[\w-]+\.config\.[cm]?[jt]s|\.?[\w-]+rc\.[cm]?js)$/;

/** Whether a file has a say over what runs: whoever allowed edits did not mean these. */
export function hasPowers(parts: readonly string[]): boolean {
	const all = parts.map(plain);
	return all.some((part) => powerFolders.test(part)) || powerFiles.test(all.at(-1) ?? '');
}

/** Texts that make an editor fetch an address when they are opened. */
const fetches = /\$schema|schemaLocation|yaml-language-server|<!DOCTYPE|<\?xml-model/i;

/** Whether opening a text may fetch something, which tells its address what is in it. */
export const mayFetch = (text: string): boolean =>
	fetches.test(text) && /\b(?:https?|ftp):/i.test(text);

/** Characters that a card does not show as they work in a shell. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** Longest command line that a person can read on a card, in characters. */
const maxCommand = 1000;

/** What is wrong with a command line; `undefined`: a person sees all of it, and it is one line. */
export function commandFault(line: string): string | undefined {
	if (hidden.test(line)) return 'The command must be one line without control characters.';
	if (line.length > maxCommand) return `The command is longer than ${maxCommand} characters.`;
	return undefined;
}
