/** What has changed in a git repository, as a diff. */

import * as vscode from 'vscode';
import { type Attachment, inReadersLanguage } from '../../server/protocol/index.ts';
import { distantRepositories, type Repository } from './distantRepository.ts';
import { fitDiff } from './fitDiff.ts';

/** What is used of the interface of VS Code's git extension, version 1. */
interface GitApi {
	readonly repositories: readonly Repository[];
}

/**
 * What is staged, else all changes.
 * @throws AppError `invalid_request` when there are none
 */
export async function changesOf(repository: Repository): Promise<string> {
	const staged = (await repository.diff(true)).trim();
	const changes = staged === '' ? (await repository.diff(false)).trim() : staged;
	if (changes === '')
		throw inReadersLanguage('invalid_request', vscode.l10n.t('There are no changes to describe.'));
	return changes;
}

/** Longest change that goes along with a question of the chat, in characters. */
const maxAttached = 12_000;

/** The changes of the repository for `/commit` and `@changes` in a chat. Throws where there are none, and says why. */
export async function changesAttachment(): Promise<Attachment> {
	const diff = await changesOf(await chosenRepository(undefined));
	const { text } = fitDiff(diff, maxAttached);
	return { label: vscode.l10n.t('Changes'), language: 'diff', text };
}

/**
 * The repository a menu names, else the selected one, the one of the active editor or the first.
 * Throws `not_found` without one.
 */
export async function chosenRepository(source: unknown): Promise<Repository> {
	const repositories = await allRepositories();
	const root = (source as { rootUri?: vscode.Uri } | undefined)?.rootUri?.toString();
	const active = vscode.window.activeTextEditor?.document.uri.toString();
	const repository =
		repositories.find(({ rootUri }) => rootUri.toString() === root) ??
		repositories.find(({ ui }) => ui.selected) ??
		repositories.find(({ rootUri }) => active?.startsWith(`${rootUri}/`)) ??
		repositories[0];
	if (!repository) {
		throw inReadersLanguage(
			'not_found',
			vscode.l10n.t('Open a folder with a git repository first.'),
		);
	}
	return repository;
}

async function allRepositories(): Promise<readonly Repository[]> {
	const extension = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>('vscode.git');
	if (!extension) {
		// The git of a remote window runs where the files are, and this extension may not.
		if (vscode.env.remoteName !== undefined) return distantRepositories();
		throw inReadersLanguage('not_found', vscode.l10n.t('The git extension is not there.'));
	}
	try {
		return (await extension.activate()).getAPI(1).repositories;
	} catch (error) {
		throw inReadersLanguage('not_found', vscode.l10n.t('Git is switched off in this window.'), {
			cause: error,
		});
	}
}
