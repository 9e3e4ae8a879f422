/** Ways to sign in to a team server, in the order they are offered; each says where it works. */

import * as vscode from 'vscode';
import { AppError } from '../../server/protocol/index.ts';
import { newProofKey } from './proofKey.ts';
import type { TeamApi, TeamSession } from './teamApi.ts';

/** Milliseconds for which a page is waited for. */
const patienceMs = 300_000;

/** Receives `vscode://…/signed-in?…` and gives each to whoever waits for its nonce. */
export class CallbackHandler implements vscode.UriHandler {
	readonly #waiting = new Map<string, (query: URLSearchParams) => void>();

	handleUri(uri: vscode.Uri): void {
		const query = new URLSearchParams(uri.query);
		const nonce = query.get('nonce') ?? '';
		// An unknown nonce is none of this window's; another one may wait for it.
		this.#waiting.get(nonce)?.(query);
	}

	wait(nonce: string, token: vscode.CancellationToken): Promise<URLSearchParams> {
		return new Promise((resolve, reject) => {
			const end = () => {
				clearTimeout(timer);
				cancelling.dispose();
				this.#waiting.delete(nonce);
			};
			const timer = setTimeout(() => {
				end();
				reject(new AppError('timeout', vscode.l10n.t('Nobody came back from the sign-in page.')));
			}, patienceMs);
			const cancelling = token.onCancellationRequested(() => {
				end();
				reject(new AppError('cancelled'));
			});
			this.#waiting.set(nonce, (query) => {
				end();
				resolve(query);
			});
		});
	}
}

/** Signs in with the way the user chooses, and says which one is going on. */
export async function signIn(api: TeamApi, callbacks: CallbackHandler): Promise<TeamSession> {
	const browser = vscode.l10n.t('In the browser of this computer');
	const device = vscode.l10n.t('With a code, in any browser');
	const paste = vscode.l10n.t('Paste a code from the page');
	const way = await vscode.window.showQuickPick(
		[
			{ label: browser, detail: vscode.l10n.t('The page returns to this window by itself.') },
			{
				label: device,
				detail: vscode.l10n.t('For remote windows and computers without a browser.'),
			},
			{ label: paste, detail: vscode.l10n.t('When the page cannot return to this window.') },
		],
		{ title: vscode.l10n.t('Sign in to {0}', new URL(api.origin).host), ignoreFocusOut: true },
	);
	if (!way) throw new AppError('cancelled');
	if (way.label === device) return byDevice(api);
	return byHandoff(api, callbacks, way.label === paste);
}

async function byHandoff(
	api: TeamApi,
	callbacks: CallbackHandler,
	paste: boolean,
): Promise<TeamSession> {
	const key = newProofKey();
	const nonce = newProofKey().verifier;
	const extension = 'nearglot.nearglot';
	const address = vscode.Uri.parse(
		`${vscode.env.uriScheme}://${extension}/signed-in?nonce=${nonce}`,
	);
	const callback = (await vscode.env.asExternalUri(address)).toString(true);
	const page = vscode.Uri.parse(api.handoffPage(callback, key.challenge), true);
	return progress(vscode.l10n.t('Check that the page shows {0}', key.phrase), async (token) => {
		const returned = paste ? undefined : callbacks.wait(nonce, token);
		returned?.catch(() => undefined);
		if (!(await vscode.env.openExternal(page))) throw new AppError('cancelled');
		if (returned) {
			const query = await returned;
			const code = query.get('code');
			const provider = query.get('provider');
			if (!code || !provider) {
				throw new AppError(
					'forbidden',
					query.get('error') ?? vscode.l10n.t('The page sent no code.'),
				);
			}
			return api.redeem(provider, code, key.verifier);
		}
		const typed = await vscode.window.showInputBox({
			title: vscode.l10n.t('Paste the code that the page shows'),
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
	});
}

async function byDevice(api: TeamApi): Promise<TeamSession> {
	const grant = await api.beginDevice();
	const open = vscode.l10n.t('Copy Code and Open Page');
	const answer = await vscode.window.showInformationMessage(
		vscode.l10n.t('Your code is {0}', grant.userCode),
		{ modal: true, detail: grant.page },
		open,
	);
	if (answer !== open) throw new AppError('cancelled');
	await vscode.env.clipboard.writeText(grant.userCode);
	await vscode.env.openExternal(vscode.Uri.parse(grant.page, true));
	return progress(
		vscode.l10n.t('Waiting for {0} to be approved', grant.userCode),
		async (token) => {
			const end = Date.now() + grant.expiresInS * 1000;
			let pauseMs = grant.intervalS * 1000;
			while (Date.now() < end) {
				await new Promise((resolve) => setTimeout(resolve, pauseMs));
				if (token.isCancellationRequested) throw new AppError('cancelled');
				const result = await api.pollDevice(grant.deviceCode);
				if (result === 'slow') pauseMs += 5000;
				else if (result) return result;
			}
			throw new AppError('timeout', vscode.l10n.t('The code has expired. Begin again.'));
		},
	);
}

function progress<T>(
	title: string,
	work: (token: vscode.CancellationToken) => Promise<T>,
): Thenable<T> {
	return vscode.window.withProgress(
		{ location: vscode.ProgressLocation.Notification, title, cancellable: true },
		(_progress, token) => work(token),
	);
}
