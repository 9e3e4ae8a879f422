/** The team server in use: its setting, signing in and out, and handing its session to the front. */

import * as vscode from 'vscode';
import type { Front } from '../front.ts';
import { setting, storeSetting } from '../settings.ts';
import { authProviderId, hostScope, type TeamAccounts } from './authProvider.ts';
import { teamOrigin } from './teamApi.ts';

/** Asks for the address when there is none, confirms a new one, and signs in. */
export async function signInToTeam(): Promise<void> {
	const known = setting('team.url');
	const typed = await vscode.window.showInputBox({
		title: vscode.l10n.t('Address of the team server'),
		value: known,
		placeHolder: 'https://models.example.com',
		ignoreFocusOut: true,
		validateInput: (text) => {
			try {
				teamOrigin(text.trim());
				return undefined;
			} catch (error) {
				return (error as Error).message;
			}
		},
	});
	if (!typed) return;
	const origin = teamOrigin(typed.trim());
	await vscode.authentication.getSession(authProviderId, [hostScope(origin)], {
		createIfNone: true,
		clearSessionPreference: origin !== known,
	});
	if (origin !== known) await storeSetting('team.url', origin);
}

/** Gives the front the session of the team server, now and whenever either changes. */
export function shareTeamSession(front: Front, accounts: TeamAccounts): vscode.Disposable {
	let running = false;
	const hand = async () => {
		if (!running) return;
		const address = setting('team.url');
		if (address === '') return front.request('nearglot/team', {});
		const origin = teamOrigin(address);
		const [session] = await accounts.getSessions([hostScope(origin)]);
		return front.request(
			'nearglot/team',
			session ? { team: { origin, token: session.accessToken } } : {},
		);
	};
	const quietly = () => void hand().catch(() => undefined);
	return vscode.Disposable.from(
		front.onHealth(({ server }) => {
			const runs = server === 'running';
			if (runs && !running) {
				running = true;
				quietly();
			}
			running = runs;
		}),
		accounts.onDidChangeSessions(quietly),
		vscode.workspace.onDidChangeConfiguration((event) => {
			if (event.affectsConfiguration('nearglot.team.url')) quietly();
		}),
	);
}
