/** *Add an Engine…*: name, address, key and uses of an engine on another machine, one step after the other. */

import * as vscode from 'vscode';
import {
	engineAddress,
	engineName,
	isLoopbackHost,
	type UpstreamUse,
	upstreamUses,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { keepEngineKey } from '../secretStorage.ts';
import { changeEngineSetting } from './engineSetting.ts';

export interface EngineDeps {
	readonly context: Pick<vscode.ExtensionContext, 'secrets'>;
	readonly languageServer: LanguageServerClient;
	readonly models: { refresh(): void };
}

/** What a use is called. */
export function useLabel(use: UpstreamUse): string {
	switch (use) {
		case 'chat':
			return vscode.l10n.t('Chat');
		case 'completions':
			return vscode.l10n.t('Completion');
		case 'embeddings':
			return vscode.l10n.t('Embeddings');
		case 'rerank':
			return vscode.l10n.t('Reranking');
		case 'transcribe':
			return vscode.l10n.t('Speech');
		case 'translate':
			return vscode.l10n.t('Translation');
	}
}

const stepTitle = (step: number) => vscode.l10n.t('Add an Engine ({0} of 4)', step);

/** Asks for an engine, adds it and tries it. Escape at any step leaves everything as it was. */
export async function addEngine(deps: EngineDeps): Promise<void> {
	const { engines } = await deps.languageServer.request('nearglot/engines', {});
	const name = await vscode.window.showInputBox({
		title: stepTitle(1),
		prompt: vscode.l10n.t('A short name: its models are called NAME/MODEL.'),
		placeHolder: 'lab',
		ignoreFocusOut: true,
		validateInput: (text) =>
			nameProblem(
				text.trim(),
				engines.map((engine) => engine.name),
			),
	});
	if (name === undefined) return;
	const url = await vscode.window.showInputBox({
		title: stepTitle(2),
		prompt: vscode.l10n.t(
			'Its address, which mostly ends with /v1. What you ask of its models leaves this computer and goes there.',
		),
		placeHolder: 'https://vllm.lab:8000/v1',
		ignoreFocusOut: true,
		validateInput: (text) => addressProblem(text.trim()),
	});
	if (url === undefined) return;
	const { protocol, hostname, host } = new URL(url.trim());
	const isOpen = protocol === 'http:' && !isLoopbackHost(hostname);
	if (isOpen && !(await acceptOpenNetwork(host))) return;
	const key = await pickKey(stepTitle(3));
	if (key === undefined) return;
	const uses = await pickUses(stepTitle(4), host);
	if (uses === undefined) return;
	const added = { name: name.trim(), url: engineAddress(url.trim()) };
	const { secrets } = deps.context;
	const kept = key === '' ? undefined : { url: added.url, key };
	await keepEngineKey(secrets, deps.languageServer, added.name, kept);
	await changeEngineSetting({ ...deps, secrets }, added.name, {
		...added,
		...(uses.length === 0 ? {} : { for: uses }),
		...(isOpen ? { allowHttp: true } : {}),
	});
	deps.models.refresh();
	await testEngine(deps, added.name);
}

/** Asks an engine for its models, and says what it has or what is wrong. */
export async function testEngine({ languageServer, models }: EngineDeps, name: string) {
	const { models: found, problem } = await vscode.window.withProgress(
		{
			location: vscode.ProgressLocation.Notification,
			title: vscode.l10n.t('Asking {0} for its models', name),
		},
		() => languageServer.request('nearglot/engines/test', { name }),
	);
	models.refresh();
	if (problem !== undefined) {
		await vscode.window.showWarningMessage(problem);
		return;
	}
	if (found.length === 0) {
		await vscode.window.showWarningMessage(
			vscode.l10n.t('{0} answers, and lists no model that may be used.', name),
		);
		return;
	}
	const choose = vscode.l10n.t('Choose Model');
	const shown = found.slice(0, 3).join(', ');
	const answer = await vscode.window.showInformationMessage(
		found.length > 3
			? vscode.l10n.t('{0} answers: {1} and {2} more.', name, shown, found.length - 3)
			: vscode.l10n.t('{0} answers: {1}.', name, shown),
		choose,
	);
	if (answer === choose) await vscode.commands.executeCommand('nearglot.models.choose');
}

/** The key, '' for none; `undefined` after Escape. */
export async function pickKey(title: string): Promise<string | undefined> {
	const key = await vscode.window.showInputBox({
		title,
		prompt: vscode.l10n.t(
			'Its key, kept in the secret storage of this computer and sent to this engine alone. Leave it empty where none is needed.',
		),
		password: true,
		ignoreFocusOut: true,
		validateInput: (text) =>
			/[^\x21-\x7e]/.test(text.trim())
				? vscode.l10n.t('Only visible ASCII characters belong here.')
				: undefined,
	});
	return key?.trim();
}

async function pickUses(title: string, host: string): Promise<UpstreamUse[] | undefined> {
	const picked = await vscode.window.showQuickPick(
		upstreamUses.map((use) => ({ label: useLabel(use), use, picked: true })),
		{
			title,
			placeHolder: vscode.l10n.t('What {0} may be used for', host),
			canPickMany: true,
			ignoreFocusOut: true,
		},
	);
	if (picked === undefined || picked.length === 0) return undefined;
	return picked.length === upstreamUses.length ? [] : picked.map(({ use }) => use);
}

/** Whether texts and key may go over the network as they are. */
async function acceptOpenNetwork(host: string): Promise<boolean> {
	const add = vscode.l10n.t('Use It All the Same');
	const answer = await vscode.window.showWarningMessage(
		vscode.l10n.t('What goes to {0} is not encrypted.', host),
		{
			modal: true,
			detail: vscode.l10n.t(
				'Whoever is on the way can read the texts and the key. Use an address that begins with https://, unless the network is yours.',
			),
		},
		add,
	);
	return answer === add;
}

function nameProblem(name: string, there: readonly string[]): string | undefined {
	if (!engineName.test(name))
		return vscode.l10n.t('Up to 32 small letters, digits and dashes, such as “lab”.');
	return there.includes(name) ? vscode.l10n.t('There is an engine of that name.') : undefined;
}

function addressProblem(text: string): string | undefined {
	const url = URL.parse(text);
	if (url === null || !/^https?:$/.test(url.protocol))
		return vscode.l10n.t('An address begins with https:// or http://.');
	if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
		return vscode.l10n.t('The address alone: the key comes in the next step.');
	return undefined;
}
