/**
 * Accounts at team servers in VS Code's own list of accounts. The scope `host:<origin>` names the
 * server; there may be several accounts at several servers.
 */

import * as vscode from 'vscode';
import {
	AppError,
	asAppError,
	type EndReason,
	inReadersLanguage,
} from '../../server/protocol/index.ts';
import { localised, showError } from '../notify.ts';
import { Callbacks } from './callbacks.ts';
import { PendingSignIns } from './pending.ts';
import { SessionManager } from './sessionManager.ts';
import { SessionStore, type StoredSession, sessionsKey } from './sessionStore.ts';
import { signIn } from './signIn.ts';
import { TeamApi, type TeamSession, teamOrigin } from './teamApi.ts';

export const authProviderId = 'nearglot';

const scopePrefix = 'host:';

/** Name of a scope for a server. */
export function hostScope(origin: string): string {
	return scopePrefix + origin;
}

/** A session that has ended by itself. */
export interface EndedSession {
	readonly origin: string;
	readonly reason: EndReason;
}

/** Registered for as long as the window lives. */
export class TeamAccounts implements vscode.AuthenticationProvider, vscode.Disposable {
	readonly #context: vscode.ExtensionContext;
	readonly #store: SessionStore;
	readonly #pending: PendingSignIns;
	readonly #callbacks: Callbacks;
	readonly #sessionManager: SessionManager;
	readonly #changed =
		new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();
	readonly #ended = new vscode.EventEmitter<EndedSession>();
	readonly #registered: vscode.Disposable;

	#failure: AppError | undefined;

	readonly onDidChangeSessions = this.#changed.event;
	readonly onDidEnd = this.#ended.event;

	constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel) {
		const { secrets } = context;
		this.#context = context;
		this.#store = new SessionStore(secrets, (error) => {
			log.warn(`the secret storage refuses: ${error.message}`);
			void vscode.window.showWarningMessage(
				vscode.l10n.t(
					'The secret storage of this computer cannot be written. You stay signed in until this window closes.',
				),
			);
		});
		this.#pending = new PendingSignIns(secrets);
		this.#callbacks = new Callbacks(
			secrets,
			this.#pending,
			async ({ origin, verifier }, { code, provider }) => {
				const api = new TeamApi(origin);
				return (await this.#keep(api, await api.redeem(provider, code, verifier))).id;
			},
			showError,
		);
		this.#sessionManager = new SessionManager({
			store: this.#store,
			api: (origin) => new TeamApi(origin),
			now: Date.now,
			random: Math.random,
			wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
			later: (ms, run) => {
				const timer = setTimeout(run, ms);
				return () => clearTimeout(timer);
			},
			window: `${vscode.env.sessionId}.${process.pid}`,
			log: (line) => log.info(line),
			onChange: ({ added, removed, changed }) =>
				this.#changed.fire({
					added: added.map(toSession),
					removed: removed.map(toSession),
					changed: changed.map(toSession),
				}),
			onEnded: ({ origin }, reason) => this.#ended.fire({ origin, reason }),
		});
		this.#registered = vscode.Disposable.from(
			this.#changed,
			this.#ended,
			this.#callbacks,
			this.#sessionManager,
			vscode.window.registerUriHandler(this.#callbacks),
			// Another window may have signed in, renewed or signed out.
			secrets.onDidChange(({ key }) => {
				if (key === sessionsKey) void this.#sessionManager.reload();
			}),
			vscode.authentication.registerAuthenticationProvider(authProviderId, 'Nearglot', this, {
				supportsMultipleAccounts: true,
			}),
		);
		void this.#sessionManager.reload();
	}

	async getSessions(
		scopes?: readonly string[],
		options?: vscode.AuthenticationProviderSessionOptions,
	): Promise<vscode.AuthenticationSession[]> {
		const hosts = (scopes ?? []).filter((scope) => scope.startsWith(scopePrefix));
		return (await this.#store.list())
			.filter(({ origin }) => hosts.length === 0 || hosts.includes(hostScope(origin)))
			.filter(({ id }) => options?.account === undefined || options.account.id === id)
			.map(toSession);
	}

	async createSession(scopes: readonly string[]): Promise<vscode.AuthenticationSession> {
		try {
			return await this.#signIn(scopes);
		} catch (error) {
			this.#failure = localised(asAppError(error));
			throw this.#failure;
		}
	}

	/**
	 * Has the editor sign in. Throws why it did not come about, `cancelled` where the editor was not allowed
	 * to begin: what the editor hands on has neither code nor data.
	 */
	async begin<T>(getSession: () => Thenable<T>): Promise<T> {
		this.#failure = undefined;
		try {
			return await getSession();
		} catch (error) {
			throw this.#failure ?? new AppError('cancelled', undefined, { cause: error });
		}
	}

	async #signIn(scopes: readonly string[]): Promise<vscode.AuthenticationSession> {
		const host = scopes.find((scope) => scope.startsWith(scopePrefix))?.slice(scopePrefix.length);
		if (!host)
			throw inReadersLanguage('invalid_request', vscode.l10n.t('No team server was named.'));
		const api = new TeamApi(teamOrigin(host));
		const session = await signIn(api, {
			context: this.#context,
			callbacks: this.#callbacks,
			pending: this.#pending,
			store: this.#store,
		});
		return toSession(await this.#keep(api, session));
	}

	/** Works without the network: the server is told when it can be reached. */
	removeSession(id: string): Promise<void> {
		return this.#sessionManager.remove(id);
	}

	/**
	 * A token for a session whose token the server has refused; `undefined` when it has ended.
	 * Throws when the server cannot be reached.
	 */
	async renew(id: string, refused: string): Promise<string | undefined> {
		return (await this.#sessionManager.renew(id, refused))?.token;
	}

	dispose(): void {
		this.#registered.dispose();
	}

	async #keep(api: TeamApi, { token, userId }: TeamSession): Promise<StoredSession> {
		const label = (await api.name(token).catch(() => undefined)) ?? userId;
		const stored = { id: `${api.origin}#${userId}`, origin: api.origin, userId, label, token };
		await this.#sessionManager.add(stored);
		return stored;
	}
}

function toSession({ id, origin, label, token }: StoredSession): vscode.AuthenticationSession {
	const { host } = new URL(origin);
	return {
		id,
		accessToken: token,
		account: { id, label: `${label} (${host})` },
		scopes: [hostScope(origin)],
	};
}
