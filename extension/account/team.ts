/**
 * The team server in use: its setting, signing in and out, and handing the session to the server of
 * this window, which asks for a new one when it is refused.
 */

import * as vscode from 'vscode';
import {
	asAppError,
	type EndReason,
	inReadersLanguage,
	signInRequired,
	type TeamRenewal,
	type TeamRenewed,
	toErrorWire,
} from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { localised, readableMessage, showError } from '../notify.ts';
import { setting, storeSetting } from '../settings.ts';
import { authProviderId, hostScope, type TeamAccounts } from './authProvider.ts';
import { teamOrigin } from './teamApi.ts';

/** Account chosen for a server, when there are several. */
const accountKey = (origin: string) => `nearglot.account.${origin}`;

/** Origin of the setting; `undefined` when there is none or it is no address. */
export function chosenTeam(): string | undefined {
	try {
		return setting('team.url') === '' ? undefined : teamOrigin(setting('team.url'));
	} catch {
		return undefined;
	}
}

/** One per window. */
export class Team implements vscode.Disposable {
	readonly #languageServer: LanguageServerClient;
	readonly #accounts: TeamAccounts;
	readonly #memory: vscode.Memento;
	readonly #listening: vscode.Disposable;
	/** Why the last session at a server ended. */
	readonly #reasons = new Map<string, EndReason>();
	readonly #changed = new vscode.EventEmitter<void>();
	#running = false;

	/** Fires when the server of this window knows of another session. */
	readonly onDidChange = this.#changed.event;

	constructor(
		languageServer: LanguageServerClient,
		accounts: TeamAccounts,
		memory: vscode.Memento,
	) {
		this.#languageServer = languageServer;
		this.#accounts = accounts;
		this.#memory = memory;
		const hand = () => void this.#hand().catch(() => undefined);
		this.#listening = vscode.Disposable.from(
			this.#changed,
			languageServer.onHealth(({ server }) => {
				const runs = server === 'running';
				const began = runs && !this.#running;
				this.#running = runs;
				if (began) hand();
			}),
			accounts.onDidChangeSessions(hand),
			accounts.onDidEnd(({ origin, reason }) => {
				this.#reasons.set(origin, reason);
				// One window says it; a request that fails later says the same words.
				if (origin === chosenTeam() && vscode.window.state.focused) {
					void showError(signInRequired(origin, reason));
				}
			}),
			vscode.workspace.onDidChangeConfiguration((event) => {
				if (event.affectsConfiguration('nearglot.team.url')) hand();
			}),
		);
	}

	/** Asks for the address when there is none, confirms a new one, and signs in. */
	async signIn(again = false): Promise<void> {
		const known = setting('team.url');
		const typed = again && known !== '' ? known : await promptForAddress(known);
		if (!typed) return;
		const origin = teamOrigin(typed.trim());
		const account = await this.#session(origin);
		const session = await this.#accounts.begin(() =>
			vscode.authentication.getSession(authProviderId, [hostScope(origin)], {
				...(account ? { clearSessionPreference: true } : {}),
				createIfNone: true,
			}),
		);
		this.#reasons.delete(origin);
		await this.#memory.update(accountKey(origin), session.account.id);
		if (origin !== known) await storeSetting('team.url', origin);
		await this.#hand();
	}

	/** Forgets a session here, and at the server when it can be reached. */
	async signOut(): Promise<void> {
		const sessions = await this.#accounts.getSessions();
		if (sessions.length === 0) {
			throw inReadersLanguage('invalid_request', vscode.l10n.t('You are not signed in anywhere.'));
		}
		const items = sessions.map(({ id, account }) => ({ label: account.label, id }));
		const [only] = items;
		const pick =
			items.length === 1
				? only
				: await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Sign out') });
		if (pick) await this.#accounts.removeSession(pick.id);
	}

	/** Answers the server of this window: its token was refused. */
	async renew({ origin: asked, token }: TeamRenewal): Promise<TeamRenewed> {
		const origin = chosenTeam();
		if (origin === undefined || (asked !== '' && asked !== origin)) return {};
		try {
			const session = await this.#session(origin);
			if (!session) return this.#signedOut(origin);
			const given = session.accessToken;
			const renewed = given === token ? await this.#accounts.renew(session.id, token) : given;
			return renewed === undefined ? this.#signedOut(origin) : { origin, token: renewed };
		} catch (error) {
			return { error: toErrorWire(localised(asAppError(error))) };
		}
	}

	/** Leaves the team's models unused: chat, transcription and translation run on this computer. */
	async useThisComputer(): Promise<void> {
		await storeSetting('chat.model', '');
		if (setting('translate.engine') === 'team') await storeSetting('translate.engine', 'auto');
	}

	#signedOut(origin: string): TeamRenewed {
		const reason = this.#reasons.get(origin);
		return { origin, ...(reason ? { reason } : {}) };
	}

	dispose(): void {
		this.#listening.dispose();
	}

	async #session(origin: string): Promise<vscode.AuthenticationSession | undefined> {
		const sessions = await this.#accounts.getSessions([hostScope(origin)]);
		const chosen = this.#memory.get<string>(accountKey(origin));
		return sessions.find(({ account }) => account.id === chosen) ?? sessions[0];
	}

	async #hand(): Promise<void> {
		if (!this.#running) return;
		const origin = chosenTeam();
		const session = origin === undefined ? undefined : await this.#session(origin);
		await this.#languageServer.request('nearglot/team', {
			...(origin === undefined
				? {}
				: { team: { origin, ...(session ? { token: session.accessToken } : {}) } }),
		});
		this.#changed.fire();
	}
}

async function promptForAddress(known: string): Promise<string | undefined> {
	return vscode.window.showInputBox({
		title: vscode.l10n.t('Address of the team server'),
		prompt: vscode.l10n.t(
			'You sign in there in the browser; what you ask its models is sent to it.',
		),
		value: known,
		placeHolder: 'https://models.example.com',
		ignoreFocusOut: true,
		validateInput: (text) => {
			try {
				teamOrigin(text.trim());
				return undefined;
			} catch (error) {
				return readableMessage(error);
			}
		},
	});
}
