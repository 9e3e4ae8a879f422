/**
 * Where the editor's translations go: this machine's daemon over its private path, the hosted service
 * through the daemon, or the team's server. Detection and the list of languages stay on this machine.
 */

import type { TranslateEngine } from '../protocol/index.ts';
import { ownTranslatorPath } from '../protocol/routeAddresses.ts';
import { Client } from '../protocol/routeClient.ts';

export interface TranslateRoutes {
	readonly link: Client;
	readonly team: Client;
	/** Who translates when a call does not say (`engine` in its query). */
	readonly engine: () => TranslateEngine;
	/** System and tone on this computer of calls that name none; empty: the server's own choice. */
	readonly system: () => { readonly system: string; readonly tone: string };
}

/** Routes calls of the translate interface (`/translate?…`, `/detect?…`, `/languages?…`). */
export function translateRouter({ link, team, engine, system }: TranslateRoutes): Client {
	return new Client((path, init) => {
		const [route = '', search = ''] = path.split('?');
		if (route !== '/translate') return link.request(ownTranslatorPath + path, init);
		const query = new URLSearchParams(search);
		const chosen = query.get('engine') ?? engine();
		if (chosen === 'team') {
			// There it is the server's own business who translates.
			query.delete('engine');
			return team.request(`${route}?${query}`, init);
		}
		query.set('engine', chosen);
		const usual = system();
		if (chosen === 'local' && !query.has('category') && usual.system !== '') {
			query.set('category', usual.system);
			if (usual.tone !== '' && !query.has('tone')) query.set('tone', usual.tone);
		}
		return link.request(`${ownTranslatorPath}${route}?${query}`, init);
	});
}
