/**
 * Accounts at team servers in VS Code's own list of accounts. The scope `host:<origin>` names the
 * server; there may be several accounts at several servers.
 */

import * as vscode from 'vscode';
import { AppError } from '../../server/protocol/index.ts';
import { SessionStore, type StoredSession, sessionsKey } from './sessionStore.ts';
import { CallbackHandler, signIn } from './signIn.ts';
import { TeamApi, teamOrigin, tokenEnd } from './teamApi.ts';

export const authProviderId = 'nearglot';

/** Milliseconds before its end at which a token is renewed. */
const renewBeforeMs = 300_000;
/** Longest wait of a timer: longer ones end at once. */
const longestMs = 2_000_000_000;

/** Name of a scope for a server. */
export function hostScope(origin: string): string {
	return `host:${origin}`;
}

/** Registered for as long as the window lives. */
export class TeamAccounts implements vscode.AuthenticationProvider, vscode.Disposable {
	readonly #store: SessionStore;
	readonly #callbacks = new CallbackHandler();
	readonly #changed =
		new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();
	readonly #timers = new Map<string, NodeJS.Timeout>();
	readonly #registered: vscode.Disposable;
	readonly #log: vscode.LogOutputChannel;
	#known: readonly StoredSession[] = [];

	readonly onDidChangeSessions = this.#changed.event;

	constructor(secrets: vscode.SecretStorage, log: vscode.LogOutputChannel) {
		this.#store = new SessionStore(secrets);
		this.#log = log;
		this.#registered = vscode.Disposable.from(
			this.#changed,
			vscode.window.registerUriHandler(this.#callbacks),
			// Another window may have signed in, renewed or signed out.
			secrets.onDidChange(({ key }) => {
				if (key === sessionsKey) void this.#reload();
			}),
			vscode.authentication.registerAuthenticationProvider(authProviderId, 'Nearglot', this, {
				supportsMultipleAccounts: true,
			}),
		);
		void this.#reload();
	}

	async getSessions(scopes?: readonly string[]): Promise<vscode.AuthenticationSession[]> {
		const sessions = await this.#store.list();
		const hosts = (scopes ?? []).filter((scope) => scope.startsWith('host:'));
		return sessions
			.filter(({ origin }) => hosts.length === 0 || hosts.includes(hostScope(origin)))
			.map(toSession);
	}

	async createSession(scopes: readonly string[]): Promise<vscode.AuthenticationSession> {
		const host = scopes.find((scope) => scope.startsWith('host:'))?.slice('host:'.length);
		if (!host) throw new AppError('invalid_request', vscode.l10n.t('No team server was named.'));
		const api = new TeamApi(teamOrigin(host));
		const { token, userId } = await signIn(api, this.#callbacks);
		const label = (await api.name(token).catch(() => undefined)) ?? userId;
		const stored = { id: `${api.origin}#${userId}`, origin: api.origin, userId, label, token };
		await this.#store.put(stored);
		await this.#reload();
		return toSession(stored);
	}

	/** Works without the network: the server is told when it can be reached. */
	async removeSession(id: string): Promise<void> {
		const session = (await this.#store.list()).find((other) => other.id === id);
		await this.#store.remove(id);
		await this.#reload();
		if (!session) return;
		await new TeamApi(session.origin).signOut(session.token).catch((error: Error) => {
			this.#log.info(`signed out here only: ${error.message}`);
		});
	}

	dispose(): void {
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#registered.dispose();
	}

	/** Tells what has changed since the last look, and plans the next renewals. */
	async #reload(): Promise<void> {
		const before = this.#known;
		this.#known = await this.#store.list();
		const find = (all: readonly StoredSession[], id: string) =>
			all.find((other) => other.id === id);
		const added = this.#known.filter(({ id }) => !find(before, id));
		const removed = before.filter(({ id }) => !find(this.#known, id));
		const changed = this.#known.filter(({ id, token }) => {
			const old = find(before, id);
			return old !== undefined && old.token !== token;
		});
		if (added.length + removed.length + changed.length > 0) {
			this.#changed.fire({
				added: added.map(toSession),
				removed: removed.map(toSession),
				changed: changed.map(toSession),
			});
		}
		for (const { id } of removed) this.#plan(id, undefined);
		for (const session of [...added, ...changed]) this.#plan(session.id, tokenEnd(session.token));
	}

	#plan(id: string, end: number | undefined): void {
		clearTimeout(this.#timers.get(id));
		this.#timers.delete(id);
		if (end === undefined) return;
		// Windows renew at different moments, so that one does it for all.
		const jitterMs = Math.random() * 60_000;
		const waitMs = Math.max(1000, end - Date.now() - renewBeforeMs - jitterMs);
		if (waitMs > longestMs) return;
		this.#timers.set(
			id,
			setTimeout(() => void this.#renew(id), waitMs),
		);
	}

	async #renew(id: string): Promise<void> {
		const session = (await this.#store.list()).find((other) => other.id === id);
		if (!session) return;
		const end = tokenEnd(session.token);
		if (end !== undefined && end - Date.now() > renewBeforeMs + 60_000) return this.#plan(id, end);
		try {
			const renewed = await new TeamApi(session.origin).refresh(session.token);
			if (renewed) await this.#store.put({ ...session, token: renewed.token });
			else await this.#store.remove(id);
			await this.#reload();
		} catch (error) {
			this.#log.warn(`could not renew a session: ${(error as Error).message}`);
			if (end !== undefined && end > Date.now()) {
				this.#timers.set(
					id,
					setTimeout(() => void this.#renew(id), 60_000),
				);
			}
		}
	}
}

function toSession({ id, origin, label, token }: StoredSession): vscode.AuthenticationSession {
	const host = new URL(origin).host;
	return {
		id,
		accessToken: token,
		account: { id, label: `${label} (${host})` },
		scopes: [hostScope(origin)],
	};
}
