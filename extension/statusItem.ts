/** The one item in the status bar: what the server and its daemon are doing. */

import * as vscode from 'vscode';
import { type ModelInfo, teamPrefix } from '../server/protocol/index.ts';
import { chosenTeam } from './account/team.ts';
import type { Front, FrontHealth } from './front.ts';
import { setting } from './settings.ts';

/** What the item shows for a state. */
export interface StatusView {
	readonly text: string;
	readonly tooltip: string;
	readonly severity: 'none' | 'warning' | 'error';
}

/** Chooses icon, words and severity. */
export function statusView(health: FrontHealth): StatusView {
	const { server, status } = health;
	if (server === 'failed') {
		const why = health.message ?? '';
		return view('error', vscode.l10n.t('The server has stopped. {0}', why), 'error');
	}
	if (server === 'restarting') {
		return view('sync~spin', vscode.l10n.t('The server ended and is starting again'), 'warning');
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
	return status.quiescent
		? view('nearglot', where)
		: view('sync~spin', `${vscode.l10n.t('Working')}. ${where}`);
}

const askEveryMs = 3000;

/** `In memory: qwen3-0.6b 612 MB, …`, or nothing. */
export function loadedText(models: readonly ModelInfo[]): string {
	const rows = models
		.filter(({ state, origin }) => state === 'loaded' && origin !== 'team')
		.map(({ name, memoryBytes }) =>
			memoryBytes === undefined ? name : `${name} ${Math.round(memoryBytes / 1e6)} MB`,
		);
	return rows.length === 0 ? '' : vscode.l10n.t('In memory: {0}', rows.join(', '));
}

/** Makes the item and keeps it up to date. A click shows what can be done. */
export function createStatusItem(front: Front): vscode.Disposable {
	const item = vscode.window.createStatusBarItem(
		'nearglot.status',
		vscode.StatusBarAlignment.Right,
		90,
	);
	item.name = 'Nearglot';
	item.command = 'nearglot.showMenu';
	let inMemory = '';
	let askedAt = 0;
	/** Asks which models are loaded, when work has ended; its own request is work too, hence the pause. */
	const askLoaded = async () => {
		if (Date.now() - askedAt < askEveryMs) return;
		askedAt = Date.now();
		const { models } = await front.request('nearglot/models', {});
		askedAt = Date.now();
		inMemory = loadedText(models);
		draw(front.health);
	};
	const draw = (health: FrontHealth) => {
		const { text, tooltip: state, severity } = statusView(health);
		const { status } = health;
		if (!status?.daemon) inMemory = '';
		// What goes wrong here is shown by the state itself.
		else if (status.quiescent) askLoaded().catch(() => undefined);
		const tooltip = [state, inMemory, placeText()].filter((line) => line !== '').join('\n');
		item.text = text;
		item.tooltip = tooltip;
		item.accessibilityInformation = { label: `Nearglot: ${tooltip}`, role: 'button' };
		item.backgroundColor =
			severity === 'none'
				? undefined
				: new vscode.ThemeColor(`statusBarItem.${severity}Background`);
	};
	draw(front.health);
	const listening = front.onHealth(draw);
	const configured = vscode.workspace.onDidChangeConfiguration((event) => {
		const names = ['nearglot.chat.model', 'nearglot.team.url'];
		if (names.some((name) => event.affectsConfiguration(name))) draw(front.health);
	});
	item.show();
	return vscode.Disposable.from(item, listening, configured);
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
