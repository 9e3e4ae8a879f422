/**
 * Where the editor's translations go: this machine's daemon over its private path, the hosted service
 * through the daemon, or the team's server. Detection and the list of languages stay on this machine.
 */

import type { TranslateEngine } from '../protocol/index.ts';
import { type Caller, jsonInit } from './daemonLink.ts';

/** Path of the daemon's translate routes that only its own key opens. */
const privateBase = '/nearglot/translator';

export interface TranslateDoors {
	readonly link: Caller;
	readonly team: Caller;
	/** Who translates when a call does not say (`engine` in its query). */
	readonly engine: () => TranslateEngine;
}

/** Routes calls of the translate interface (`/translate?…`, `/detect?…`, `/languages?…`). */
export function translateDoor({ link, team, engine }: TranslateDoors): Caller {
	const door: Caller = {
		call: (path, init, signal) => {
			const [route = '', search = ''] = path.split('?');
			if (route !== '/translate') return link.call(privateBase + path, init, signal);
			const query = new URLSearchParams(search);
			const chosen = query.get('engine') ?? engine();
			if (chosen === 'team') {
				// There it is the server's own business who translates.
				query.delete('engine');
				return team.call(`${route}?${query}`, init, signal);
			}
			query.set('engine', chosen);
			return link.call(`${privateBase}${route}?${query}`, init, signal);
		},
		json: async (path, body, signal) =>
			(await door.call(path, jsonInit(body), signal)).json() as Promise<unknown>,
	};
	return door;
}
