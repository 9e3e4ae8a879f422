/** What has changed in a git repository, as a diff. */

import * as vscode from 'vscode';
import { AppError, type Attachment } from '../../server/protocol/index.ts';
import { fitDiff } from './fitDiff.ts';

/** What is used of the interface of VS Code's git extension, version 1. */
interface GitApi {
	readonly repositories: readonly Repository[];
}

export interface Repository {
	readonly rootUri: vscode.Uri;
	readonly inputBox: { value: string };
	readonly ui: { readonly selected: boolean };
	/** Unified diff of what is staged, or of what is not. */
	diff(cached?: boolean): Promise<string>;
}

/** What is staged, else all changes; empty when there are none. */
export async function changesOf(repository: Repository): Promise<string> {
	const staged = await repository.diff(true);
	return (staged.trim() === '' ? await repository.diff(false) : staged).trim();
}

/** Longest change that goes along with a question of the chat, in characters. */
const maxAttached = 12_000;

/** The changes of the repository for `/commit` in a chat; `undefined` without git or changes. */
export async function changesAttachment(): Promise<Attachment | undefined> {
	try {
		const diff = await changesOf(await chosenRepository(undefined));
		if (diff === '') return undefined;
		const { text } = fitDiff(diff, maxAttached);
		return { label: vscode.l10n.t('Changes'), language: 'diff', text };
	} catch {
		return undefined;
	}
}

/** The repository a menu names, else the selected one or the first. Throws `not_found` without one. */
export async function chosenRepository(source: unknown): Promise<Repository> {
	const extension = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>('vscode.git');
	if (!extension) throw new AppError('not_found', vscode.l10n.t('The git extension is not there.'));
	let repositories: readonly Repository[];
	try {
		repositories = (await extension.activate()).getAPI(1).repositories;
	} catch (error) {
		throw new AppError('not_found', vscode.l10n.t('Git is switched off in this window.'), {
			cause: error,
		});
	}
	const root = (source as { rootUri?: vscode.Uri } | undefined)?.rootUri?.toString();
	const given = repositories.find(({ rootUri }) => rootUri.toString() === root);
	const repository = given ?? repositories.find(({ ui }) => ui.selected) ?? repositories[0];
	if (!repository) {
		throw new AppError('not_found', vscode.l10n.t('Open a folder with a git repository first.'));
	}
	return repository;
}
