/**
 * The ways to sign in to a team server in their order: the editor's own Microsoft session where the
 * team takes it, the browser returning to this window, a port of this computer, a code typed in any
 * browser, a code pasted here.
 */

import * as vscode from 'vscode';
import { AppError, inReadersLanguage } from '../../server/protocol/index.ts';
import { readableMessage } from '../notify.ts';
import { type Answer, type Callbacks, callbackPath } from './callbacks.ts';
import { deviceCodeFlow } from './deviceCodeFlow.ts';
import { startLoopbackServer } from './loopbackServer.ts';
import { openPage } from './openPage.ts';
import type { PendingSignIns } from './pending.ts';
import { newProofKey } from './proofKey.ts';
import type { SessionStore } from './sessionStore.ts';
import { type SignInFlow, type SignInFlowName, trySignInFlows } from './signInFlows.ts';
import type { TeamApi, TeamSession } from './teamApi.ts';
import { tokenExchangeFlow } from './tokenExchangeFlow.ts';

/** Milliseconds for which a page is waited for. */
const timeoutMs = 300_000;
/** Address of the page when nothing waits for it: the code is pasted. */
const nowhere = 'http://127.0.0.1/signed-in';

export interface SignInDeps {
	readonly context: vscode.ExtensionContext;
	readonly callbacks: Callbacks;
	readonly pending: PendingSignIns;
	readonly store: SessionStore;
}

/** Signs in; asks how only when a way has failed. Throws `cancelled` when the person gives up. */
export function signIn(api: TeamApi, deps: SignInDeps): Promise<TeamSession> {
	const { context } = deps;
	return trySignInFlows(
		[
			tokenExchangeFlow(api, {
				memory: context.globalState,
				confirm: () => confirmExchange(new URL(api.origin).host),
				accessToken: async (scopes) => {
					const options = { createIfNone: true } as const;
					const session = await vscode.authentication.getSession('microsoft', scopes, options);
					return session.accessToken;
				},
			}),
			browserFlow(api, deps),
			loopbackFlow(api),
			deviceCodeFlow(api),
			pasteFlow(api, deps),
		],
		async (failed, reason, next) => {
			const { host } = new URL(api.origin);
			const why = reason.code === 'cancelled' ? '' : ` ${readableMessage(reason)}`;
			const items = next.map((name) => ({ ...describe(name, name === failed), name }));
			const pick = await vscode.window.showQuickPick(items, {
				title: vscode.l10n.t('Not signed in to {0} yet.', host) + why,
				placeHolder: vscode.l10n.t('Choose another way, or Escape to give up'),
				ignoreFocusOut: true,
			});
			return pick?.name;
		},
	);
}

/** Asked once for a server. */
async function confirmExchange(host: string): Promise<'use' | 'never' | undefined> {
	const use = vscode.l10n.t('Use It');
	const other = vscode.l10n.t('Sign In Another Way');
	const answer = await vscode.window.showInformationMessage(
		vscode.l10n.t('Sign in to {0} with your Microsoft account?', host),
		{
			modal: true,
			detail: vscode.l10n.t('The team server gets a token that is made for it alone.'),
		},
		use,
		other,
	);
	return answer === use ? 'use' : answer === other ? 'never' : undefined;
}

function describe(name: SignInFlowName, again: boolean): vscode.QuickPickItem {
	const description = again ? vscode.l10n.t('once more') : '';
	switch (name) {
		case 'exchange':
			return {
				label: vscode.l10n.t('With the Microsoft account of this editor'),
				description,
			};
		case 'browser':
			return {
				label: vscode.l10n.t('In the browser'),
				detail: vscode.l10n.t('The page returns to this window by itself.'),
				description,
			};
		case 'loopback':
			return {
				label: vscode.l10n.t('In the browser, through a port of this computer'),
				detail: vscode.l10n.t('When the page cannot open this window.'),
				description,
			};
		case 'device':
			return {
				label: vscode.l10n.t('With a code, in any browser'),
				detail: vscode.l10n.t('For remote windows and computers without a browser.'),
				description,
			};
		case 'paste':
			return {
				label: vscode.l10n.t('Paste a code from the page'),
				detail: vscode.l10n.t('When nothing else works.'),
				description,
			};
	}
}

/** The page opens `vscode://…` (or the web address that stands for it), which comes back here. */
function browserFlow(api: TeamApi, deps: SignInDeps): SignInFlow {
	return {
		name: 'browser',
		possible: async () => api.allowsCallback(await callbackOf(deps), newProofKey().challenge),
		run: async () => {
			const key = newProofKey();
			const nonce = newProofKey().verifier;
			const callback = await callbackOf(deps, nonce);
			await deps.pending.add({ nonce, origin: api.origin, verifier: key.verifier });
			try {
				const answer = await whilePageIsOpen(api, callback, key, (token) =>
					deps.callbacks.wait(nonce, timeoutMs, token, late()),
				);
				return await sessionOf(api, deps.store, answer, key.verifier);
			} finally {
				await deps.pending.remove(nonce);
			}
		},
	};
}

/** Only where the browser and this process are on one computer. */
function loopbackFlow(api: TeamApi): SignInFlow {
	const local = vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
	return {
		name: 'loopback',
		possible: async () => local && api.allowsCallback(nowhere, newProofKey().challenge),
		run: async () => {
			const key = newProofKey();
			const server = await startLoopbackServer(newProofKey().verifier, {
				title: vscode.l10n.t('Signed in'),
				text: vscode.l10n.t('You can close this page and go back to the editor.'),
			});
			try {
				const { code, provider } = await whilePageIsOpen(api, server.callback, key, (token) =>
					Promise.race([server.answer, never(token)]),
				);
				return await api.redeem(provider, code, key.verifier);
			} finally {
				server.close();
			}
		},
	};
}

function pasteFlow(api: TeamApi, deps: SignInDeps): SignInFlow {
	const allowed = async () => {
		for (const callback of [await callbackOf(deps), nowhere]) {
			if (await api.allowsCallback(callback, newProofKey().challenge)) return callback;
		}
		return undefined;
	};
	return {
		name: 'paste',
		possible: async () => (await allowed()) !== undefined,
		run: async () => {
			const key = newProofKey();
			const callback = (await allowed()) ?? nowhere;
			if (!(await openPage(api.handoffPage(callback, key.challenge))))
				throw new AppError('cancelled');
			const typed = await vscode.window.showInputBox({
				title: vscode.l10n.t('Paste the code that the page shows'),
				prompt: vscode.l10n.t('Check that the page shows {0}', key.phrase),
				ignoreFocusOut: true,
				password: true,
				validateInput: (text) =>
					/^[^.\s]+\..+$/.test(text.trim())
						? undefined
						: vscode.l10n.t('A code looks like provider.letters.'),
			});
			if (!typed) throw new AppError('cancelled');
			const [, provider = '', code = ''] = /^([^.]+)\.(.+)$/.exec(typed.trim()) ?? [];
			return api.redeem(provider, code, key.verifier);
		},
	};
}

/** Address at which this window is reached from a browser. Its query is given back untouched. */
async function callbackOf({ context }: SignInDeps, nonce = 'check'): Promise<string> {
	const { uriScheme } = vscode.env;
	const address = `${uriScheme}://${context.extension.id}${callbackPath}?nonce=${nonce}`;
	return (await vscode.env.asExternalUri(vscode.Uri.parse(address))).toString(true);
}

/** Opens the page and shows the phrase to compare for as long as the answer is waited for. */
async function whilePageIsOpen<T>(
	api: TeamApi,
	callback: string,
	key: { readonly challenge: string; readonly phrase: string },
	answer: (token: vscode.CancellationToken) => Promise<T>,
): Promise<T> {
	return vscode.window.withProgress(
		{
			location: vscode.ProgressLocation.Notification,
			title: vscode.l10n.t('Check that the page shows {0}', key.phrase),
			cancellable: true,
		},
		async (_progress, token) => {
			// Nothing waits for an answer once the page is given up, however that came about.
			const waiting = new vscode.CancellationTokenSource();
			const cancelling = token.onCancellationRequested(() => waiting.cancel());
			try {
				const answered = answer(waiting.token);
				answered.catch(() => undefined);
				if (!(await openPage(api.handoffPage(callback, key.challenge))))
					throw new AppError('cancelled');
				return await answered;
			} finally {
				cancelling.dispose();
				waiting.cancel();
				waiting.dispose();
			}
		},
	);
}

async function sessionOf(
	api: TeamApi,
	store: SessionStore,
	answer: Answer,
	verifier: string,
): Promise<TeamSession> {
	if ('code' in answer) return api.redeem(answer.provider, answer.code, verifier);
	const stored = await store.find(answer.session);
	if (!stored)
		throw inReadersLanguage('conflict', vscode.l10n.t('The session is no longer there.'));
	return stored;
}

function late(): string {
	return vscode.l10n.t('Nobody came back from the sign-in page.');
}

function never(token: vscode.CancellationToken): Promise<never> {
	return new Promise((_, reject) => {
		const timer = setTimeout(() => reject(inReadersLanguage('timeout', late())), timeoutMs);
		token.onCancellationRequested(() => {
			clearTimeout(timer);
			reject(new AppError('cancelled'));
		});
	});
}
