/** *Choose Model*: the models of this computer and of the team in one list. */

import * as vscode from 'vscode';
import { defined } from '../../server/protocol/defined.ts';
import { findModel, type ModelInfo, type TeamStatus } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { setting, storeSetting } from '../settings.ts';
import type { Team } from './team.ts';

type Item = vscode.QuickPickItem & {
	/** Value of the setting. */
	readonly model?: string;
	readonly run?: () => Promise<unknown>;
};

/** Chooses who answers chats; recordings and translations go to the same place. */
export async function chooseModel({
	languageServer,
	team,
}: {
	readonly languageServer: LanguageServerClient;
	readonly team: Team;
}): Promise<void> {
	const { models, team: status } = await languageServer.request('nearglot/models', {});
	const chats = models.filter(
		({ task, state }) =>
			task === 'chat-completion' && state !== 'not-downloaded' && state !== 'downloading',
	);
	const name = setting('chat.model');
	const chosen = findModel(chats, name)?.id ?? name;
	const items: Item[] = [
		separator(vscode.l10n.t('This computer')),
		{
			label: vscode.l10n.t('Best model of this computer'),
			model: '',
			...mark(chosen === ''),
		},
		...chats
			.filter(({ origin }) => origin !== 'team' && origin !== 'upstream')
			.map((model) => itemOf(model, chosen)),
		separator(vscode.l10n.t('Engines on other machines: what you ask goes there')),
		...chats
			.filter(({ origin }) => origin === 'upstream')
			.map((model) => itemOf(model, chosen, '$(remote) ')),
		{
			label: `$(add) ${vscode.l10n.t('Add an Engine…')}`,
			run: async () => vscode.commands.executeCommand('nearglot.engines.add'),
		},
		...teamItems(status, team),
		...chats.filter(({ origin }) => origin === 'team').map((model) => itemOf(model, chosen)),
	];
	const pick = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Choose Model'),
		placeHolder: vscode.l10n.t(
			'Recordings and translations go to the same place, unless you set something else.',
		),
		matchOnDescription: true,
		// The engine stands before the name there: lab/qwen3-32b.
		matchOnDetail: true,
	});
	if (pick?.run) await pick.run();
	else if (pick?.model !== undefined) await storeSetting('chat.model', pick.model);
}

/** Head of the team's models, and what can be done when they cannot be asked. */
function teamItems(status: TeamStatus | undefined, team: Team): Item[] {
	if (!status) {
		return [
			separator(vscode.l10n.t('Team')),
			{
				label: `$(sign-in) ${vscode.l10n.t('Sign in to a team server')}`,
				run: () => team.signIn(),
			},
		];
	}
	const { host } = new URL(status.origin);
	const head = separator(vscode.l10n.t('Team · {0}', host));
	if (status.state === 'ready') return [head];
	if (status.state === 'signed-out') {
		const label = `$(sign-in) ${vscode.l10n.t('Sign in to {0}', host)}`;
		return [head, { label, run: () => team.signIn(true) }];
	}
	return [
		head,
		{
			label: `$(debug-disconnect) ${vscode.l10n.t('Cannot be reached: try again')}`,
			...defined({ detail: status.message }),
			run: async () => vscode.commands.executeCommand('nearglot.models.choose'),
		},
	];
}

function itemOf(model: ModelInfo, chosen: string, icon = ''): Item {
	const { id, alias, displayName } = model;
	return {
		label: icon + displayName,
		detail: id,
		model: id,
		...mark([id, alias].includes(chosen)),
	};
}

function mark(chosen: boolean): Pick<vscode.QuickPickItem, 'description'> {
	return chosen ? { description: vscode.l10n.t('chosen') } : {};
}

function separator(label: string): Item {
	return { label, kind: vscode.QuickPickItemKind.Separator };
}
