/**
 * Receives `vscode://…/signed-in?…`. The window that waits for the answer takes it; when that has
 * gone, the one that received it finishes the sign-in.
 */

import type * as vscode from 'vscode';
import { AppError, inReadersLanguage } from '../../server/protocol/index.ts';
import type { HandedCode } from './loopbackServer.ts';
import { type Pending, type PendingSignIns, pendingKey } from './pending.ts';

/** What came of a page: a code for this window to redeem, or a session another window has stored. */
export type Answer = HandedCode | { readonly session: string };

/** Path of the address that pages return to. */
export const callbackPath = '/signed-in';

/** One per window. */
export class Callbacks implements vscode.UriHandler {
	readonly #pending: PendingSignIns;
	readonly #finish: (pending: Pending, code: HandedCode) => Promise<string>;
	readonly #onFailure: (error: unknown) => void;
	readonly #waiting = new Map<string, (answer: Answer) => void>();
	readonly #listening: { dispose(): unknown };

	/** @param finish Redeems a code nobody in this window waits for; returns the session's id. */
	constructor(
		secrets: Pick<vscode.SecretStorage, 'onDidChange'>,
		pending: PendingSignIns,
		finish: (pending: Pending, code: HandedCode) => Promise<string>,
		onFailure: (error: unknown) => void,
	) {
		this.#pending = pending;
		this.#finish = finish;
		this.#onFailure = onFailure;
		this.#listening = secrets.onDidChange(({ key }) => {
			if (key === pendingKey) void this.#look();
		});
	}

	async handleUri(uri: Pick<vscode.Uri, 'path' | 'query'>): Promise<void> {
		if (uri.path !== callbackPath) return;
		const query = new URLSearchParams(uri.query);
		const [nonce, code, provider] = ['nonce', 'code', 'provider'].map((name) => query.get(name));
		if (!nonce || !code || !provider) return;
		const waiting = this.#waiting.get(nonce);
		if (waiting) return waiting({ code, provider });
		// Not begun by this editor, or long over: nothing is said, so that nobody learns anything.
		const pending = await this.#pending.find(nonce);
		if (!pending || pending.done !== undefined) return;
		try {
			const session = await this.#finish(pending, { code, provider });
			await this.#pending.finish(nonce, session);
		} catch (error) {
			this.#onFailure(error);
		}
	}

	/**
	 * Waits for the answer of a page. Throws `cancelled`, or `timeout` with the sentence `late`.
	 */
	wait(
		nonce: string,
		patienceMs: number,
		token: Pick<vscode.CancellationToken, 'onCancellationRequested'>,
		late: string,
	): Promise<Answer> {
		return new Promise((resolve, reject) => {
			const end = () => {
				clearTimeout(timer);
				cancelling.dispose();
				this.#waiting.delete(nonce);
			};
			const fail = (error: AppError) => {
				end();
				reject(error);
			};
			const timer = setTimeout(() => fail(inReadersLanguage('timeout', late)), patienceMs);
			const cancelling = token.onCancellationRequested(() => fail(new AppError('cancelled')));
			this.#waiting.set(nonce, (answer) => {
				end();
				resolve(answer);
			});
		});
	}

	dispose(): void {
		this.#listening.dispose();
		this.#waiting.clear();
	}

	async #look(): Promise<void> {
		for (const [nonce, answer] of this.#waiting) {
			const { done } = (await this.#pending.find(nonce)) ?? {};
			if (done !== undefined) answer({ session: done });
		}
	}
}
