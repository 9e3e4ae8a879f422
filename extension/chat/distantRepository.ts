/**
 * A repository of a window whose files are on another machine (a container, WSL, a host over SSH). Its git extension
 * runs there and hands its interface to nobody here; its commands and its files can be reached.
 */

import * as vscode from 'vscode';
import { inReadersLanguage } from '../../server/protocol/index.ts';
import { type ChangedFile, unifiedDiff } from './unifiedDiff.ts';

/** A git repository of the window, with its git here or elsewhere. */
export interface Repository {
	readonly rootUri: vscode.Uri;
	/** The box for the message of a commit, where it can be reached. */
	readonly inputBox?: { value: string };
	readonly ui: { readonly selected: boolean };
	/** Unified diff of what is staged, or of what is not. */
	diff(cached?: boolean): Promise<string>;
}

/** What `git.api.getRepositoryState` says of one file; addresses are those of the other machine. */
interface Change {
	readonly uri: string;
	readonly originalUri: string;
	readonly renameUri?: string;
	readonly status: string;
}

interface RepositoryState {
	readonly indexChanges: readonly Change[];
	readonly workingTreeChanges: readonly Change[];
}

/** More files than these are named, and not compared. */
const maxFiles = 300;
/** Files that are asked for at once. */
const together = 8;

/** The repositories of the window. Throws `not_found` where its git does not answer. */
export async function distantRepositories(): Promise<Repository[]> {
	let roots: readonly string[] | undefined;
	try {
		roots = await vscode.commands.executeCommand<string[]>('git.api.getRepositories');
	} catch (error) {
		throw inReadersLanguage(
			'not_found',
			vscode.l10n.t(
				'The git extension of this window does not answer: it is switched off, or the window is not trusted.',
			),
			{ cause: error },
		);
	}
	return (roots ?? []).map((root) => new DistantRepository(root));
}

class DistantRepository implements Repository {
	readonly rootUri: vscode.Uri;
	readonly ui = { selected: false };
	readonly #root: string;

	constructor(root: string) {
		this.#root = root;
		this.rootUri = ofWindow(vscode.Uri.parse(root, true));
	}

	/** The same as git's own diff but for modes; what is not tracked is left out, as it is there. */
	async diff(cached = false): Promise<string> {
		const state = await vscode.commands.executeCommand<RepositoryState | null>(
			'git.api.getRepositoryState',
			this.#root,
		);
		const changes = (cached ? state?.indexChanges : state?.workingTreeChanges) ?? [];
		const tracked = changes
			.filter(({ status }) => !/^(?:UNTRACKED|IGNORED)$/.test(status))
			.sort((a, b) => (a.uri < b.uri ? -1 : 1));
		const parts: string[] = [];
		for (let at = 0; at < Math.min(tracked.length, maxFiles); at += together) {
			const group = tracked.slice(at, Math.min(at + together, maxFiles));
			const files = await Promise.all(group.map((change) => this.#file(change, cached)));
			for (const file of files) parts.push(unifiedDiff(file));
		}
		for (const { uri } of tracked.slice(maxFiles)) {
			const path = this.#inside(vscode.Uri.parse(uri, true));
			parts.push(`diff --git a/${path} b/${path}\n`);
		}
		return parts.join('');
	}

	/** Staged files are compared with the last commit, others with what is staged. */
	async #file(change: Change, cached: boolean): Promise<ChangedFile> {
		const old = vscode.Uri.parse(change.originalUri, true);
		const now = vscode.Uri.parse(change.renameUri ?? change.uri, true);
		const [before, after] = await Promise.all([
			/ADDED$/.test(change.status) ? undefined : readFile(gitUri(old, cached ? 'HEAD' : '')),
			/DELETED$/.test(change.status)
				? undefined
				: readFile(cached ? gitUri(now, '') : ofWindow(now)),
		]);
		return { oldPath: this.#inside(old), newPath: this.#inside(now), before, after };
	}

	#inside({ path }: vscode.Uri): string {
		const { path: root } = this.rootUri;
		return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
	}
}

/** A file of the other machine, as this window addresses it. */
function ofWindow(uri: vscode.Uri): vscode.Uri {
	const own = vscode.workspace.workspaceFolders?.find(
		({ uri: { scheme } }) => scheme !== 'untitled',
	);
	if (uri.scheme !== 'file' || !own) return uri;
	return uri.with({ scheme: own.uri.scheme, authority: own.uri.authority });
}

/** A file as a commit or the index (`''`) has it, by the file system that git gives to all parts of the editor. */
function gitUri(uri: vscode.Uri, ref: string): vscode.Uri {
	// Its own machine decides how paths look: those of Windows begin with a drive, wherever this editor runs.
	const path = /^\/[a-z]:\//i.test(uri.path) ? uri.path.slice(1).replaceAll('/', '\\') : uri.path;
	return uri.with({ scheme: 'git', query: JSON.stringify({ path, ref }) });
}

async function readFile(uri: vscode.Uri): Promise<Uint8Array | undefined> {
	try {
		return await vscode.workspace.fs.readFile(uri);
	} catch {
		// Gone meanwhile, or a submodule: there is nothing to compare.
		return undefined;
	}
}
