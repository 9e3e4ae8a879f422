/**
 * Sign-in with the Microsoft session the editor has, at teams that take it. Asked once for a server:
 * a "no" is kept, and the browser is used from then on.
 */

import * as vscode from 'vscode';
import { AppError } from '../../server/protocol/index.ts';
import type { EditorSession, TeamApi } from './teamApi.ts';
import type { Way } from './ways.ts';

const refusedKey = (origin: string) => `nearglot.exchange.refused.${origin}`;

export function exchangeWay(api: TeamApi, memory: vscode.Memento): Way {
	let offered: Promise<EditorSession | undefined> | undefined;
	return {
		name: 'exchange',
		possible: async () => {
			if (memory.get(refusedKey(api.origin))) return false;
			offered ??= api.editorSession();
			return (await offered) !== undefined;
		},
		run: async () => {
			const offer = await offered;
			if (!offer) throw new AppError('not_supported');
			const use = vscode.l10n.t('Use It');
			const other = vscode.l10n.t('Sign In Another Way');
			const answer = await vscode.window.showInformationMessage(
				vscode.l10n.t('Sign in to {0} with your Microsoft account?', new URL(api.origin).host),
				{
					modal: true,
					detail: vscode.l10n.t('The team server gets a token that is made for it alone.'),
				},
				use,
				other,
			);
			if (answer === other) await memory.update(refusedKey(api.origin), true);
			if (answer !== use) throw new AppError('cancelled');
			const session = await vscode.authentication.getSession('microsoft', [...offer.scopes], {
				createIfNone: true,
			});
			return api.exchange(offer.provider, session.accessToken);
		},
	};
}
