/**
 * Sign-in with the Microsoft session the editor has, at teams that take it. Asked once for a server:
 * a "no" is kept, and the browser is used from then on.
 */

import type { Memento } from 'vscode';
import { AppError } from '../../server/protocol/index.ts';
import type { SignInFlow } from './signInFlows.ts';
import type { EditorSession, TeamApi } from './teamApi.ts';

export interface ExchangeDeps {
	readonly memory: Pick<Memento, 'get' | 'update'>;
	/** Asks the person; `never` is remembered. */
	readonly confirm: () => Promise<'use' | 'never' | undefined>;
	/** Token of the editor's Microsoft account for these scopes. */
	readonly accessToken: (scopes: readonly string[]) => Promise<string>;
}

const refusedKey = (origin: string) => `nearglot.exchange.refused.${origin}`;

export function tokenExchangeFlow(
	api: TeamApi,
	{ memory, confirm: ask, accessToken }: ExchangeDeps,
): SignInFlow {
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
			const answer = await ask();
			if (answer === 'never') await memory.update(refusedKey(api.origin), true);
			if (answer !== 'use') throw new AppError('cancelled');
			return api.exchange(offer.provider, await accessToken(offer.scopes));
		},
	};
}
