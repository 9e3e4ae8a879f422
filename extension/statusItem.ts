/** The one item in the status bar: what the server and its daemon are doing. */

import * as vscode from 'vscode';
import { teamPrefix } from '../server/protocol/index.ts';
import { chosenTeam } from './account/team.ts';
import type { LanguageServerClient, LanguageServerHealth } from './languageServerClient.ts';
import { type LoadedModels, loadedText, noteLines, warningText } from './models/loadedModels.ts';
import { setting } from './settings.ts';

/** What the item shows for a state. */
export interface StatusView {
	readonly text: string;
	readonly tooltip: string;
	readonly severity: 'none' | 'warning' | 'error';
}

/**
 * Chooses icon, words and severity.
 * @param warning What people should act on though everything works; '' for nothing
 */
function statusView(health: LanguageServerHealth, warning = ''): StatusView {
	const { server, status } = health;
	if (server === 'failed') {
		const why = health.message ?? '';
		return view('error', vscode.l10n.t('The language server has stopped. {0}', why), 'error');
	}
	if (server === 'restarting') {
		return view(
			'sync~spin',
			vscode.l10n.t('The language server ended and is starting again'),
			'warning',
		);
	}
	if (server === 'idle')
		return view('nearglot', vscode.l10n.t('Not started: nothing was asked yet'));
	if (server === 'starting' || !status) return view('sync~spin', vscode.l10n.t('Starting'));
	if (status.health === 'error') return view('error', status.message ?? '', 'error');
	if (status.health === 'warning') return view('warning', status.message ?? '', 'warning');
	if (!status.daemon) {
		return status.quiescent
			? view('nearglot', vscode.l10n.t('Ready; the model server starts when it is first needed'))
			: view('sync~spin', status.message ?? vscode.l10n.t('Starting the model server'));
	}
	const { url, pid } = status.daemon;
	const where = vscode.l10n.t('Model server at {0} (process {1})', url, String(pid));
	const severity = warning === '' ? 'none' : 'warning';
	const calm = warning === '' ? 'nearglot' : 'warning';
	const state = status.quiescent
		? view(calm, where, severity)
		: view('sync~spin', `${vscode.l10n.t('Working')}. ${where}`, severity);
	return warning === '' ? state : { ...state, tooltip: `${warning}\n${state.tooltip}` };
}

/** Makes the item and keeps it up to date. A click shows what can be done. */
export function createStatusItem(
	languageServer: LanguageServerClient,
	loaded: LoadedModels,
): vscode.Disposable {
	const item = vscode.window.createStatusBarItem(
		'nearglot.status',
		vscode.StatusBarAlignment.Right,
		90,
	);
	item.name = 'Nearglot';
	item.command = 'nearglot.showMenu';
	const draw = () => {
		const { models } = loaded;
		const {
			text,
			tooltip: state,
			severity,
		} = statusView(languageServer.health, warningText(models));
		const lines = [state, loadedText(models), ...noteLines(models), placeText()];
		const tooltip = lines.filter((line) => line !== '').join('\n');
		item.text = text;
		item.tooltip = tooltip;
		item.accessibilityInformation = { label: `Nearglot: ${tooltip}`, role: 'button' };
		item.backgroundColor =
			severity === 'none'
				? undefined
				: new vscode.ThemeColor(`statusBarItem.${severity}Background`);
	};
	draw();
	const listening = languageServer.onHealth(draw);
	const following = loaded.onDidChange(draw);
	const configured = vscode.workspace.onDidChangeConfiguration((event) => {
		const names = ['nearglot.chat.model', 'nearglot.team.url'];
		if (names.some((name) => event.affectsConfiguration(name))) draw();
	});
	item.show();
	return vscode.Disposable.from(item, listening, following, configured);
}

/** Says so when what people write goes to the team. */
function placeText(): string {
	const team = chosenTeam();
	if (team === undefined || !setting('chat.model').startsWith(teamPrefix)) return '';
	const { host } = new URL(team);
	return vscode.l10n.t('Chats, recordings and translations go to {0}', host);
}

function view(
	icon: string,
	tooltip: string,
	severity: StatusView['severity'] = 'none',
): StatusView {
	const mark = icon === 'nearglot' ? '$(comment-discussion)' : `$(${icon})`;
	return { text: `${mark} Nearglot`, tooltip, severity };
}
