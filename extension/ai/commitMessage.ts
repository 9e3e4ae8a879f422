/** Writes a commit message for what is staged (else for all changes) into the box of the git view. */

import * as vscode from 'vscode';
import {
	AppError,
	type Attachment,
	type ChatDelta,
	type ChatMessage,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../front.ts';
import { withPatientProgress } from '../notify.ts';
import { setting } from '../settings.ts';
import { fitDiff } from './fitDiff.ts';

/** What is used of the interface of VS Code's git extension, version 1. */
interface GitApi {
	readonly repositories: readonly Repository[];
}

interface Repository {
	readonly rootUri: vscode.Uri;
	readonly inputBox: { value: string };
	readonly ui: { readonly selected: boolean };
	/** Unified diff of what is staged, or of what is not. */
	diff(cached?: boolean): Promise<string>;
}

const instruction =
	'Write a git commit message for this change: one subject line in the imperative, at most 72 characters, then, if needed, an empty line and why. Answer with the message alone.';

/** Room kept for the answer, in tokens. */
const answerTokens = 120;

/** `source` is what the menu of the git view gives: the repository it belongs to. */
export async function writeCommitMessage(
	front: LanguageServerClient,
	source: unknown,
): Promise<void> {
	const repository = await chosenRepository(source);
	const diff = await changesOf(repository);
	if (diff === '') {
		throw new AppError('invalid_request', vscode.l10n.t('There are no changes to describe.'));
	}
	await withPatientProgress(vscode.l10n.t('Writing a commit message'), async (token) => {
		const model = setting('chat.model');
		const own = model === '' ? {} : { model };
		const messages = await fitted(front, diff, own, token);
		const before = repository.inputBox.value;
		let text = '';
		try {
			await front.request(
				'nearglot/chat',
				{ ...own, messages, temperature: 0, maxTokens: answerTokens },
				token,
				(value) => {
					text += (value as ChatDelta).text ?? '';
					repository.inputBox.value = cleaned(text);
				},
			);
		} catch (error) {
			repository.inputBox.value = before;
			throw error;
		}
	});
}

/** What is staged, else all changes; empty when there are none. */
async function changesOf(repository: Repository): Promise<string> {
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

/** The request with as much of the diff as the model can read. */
async function fitted(
	front: LanguageServerClient,
	diff: string,
	own: { model?: string },
	token: vscode.CancellationToken,
): Promise<ChatMessage[]> {
	const messagesOf = (text: string): ChatMessage[] => [
		{ role: 'user', content: `${instruction}\n\n\`\`\`diff\n${text}\n\`\`\`` },
	];
	const { models } = await front.request('nearglot/models', {}, token);
	const ready = models.filter(
		({ task, state }) => task === 'chat-completion' && state !== 'not-downloaded',
	);
	const contexts = ready
		.filter(({ id }) => own.model === undefined || id === own.model)
		.map(({ contextLength }) => contextLength ?? 4096);
	const room = Math.max(64, Math.min(...contexts, 1 << 20) - answerTokens);
	for (let limit = Math.min(diff.length, room * 4); ; limit = Math.floor(limit * 0.7)) {
		const messages = messagesOf(fitDiff(diff, limit).text);
		const { tokens } = await front.request('nearglot/countTokens', { ...own, messages }, token);
		if (tokens <= room || limit < 100) return messages;
	}
}

/** Without the fence some models put around their answer. */
function cleaned(text: string): string {
	return text
		.replace(/^\s*```\w*\n?/, '')
		.replace(/\n?```\s*$/, '')
		.trimStart();
}

async function chosenRepository(source: unknown): Promise<Repository> {
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
