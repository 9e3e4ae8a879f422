/** The hub of the person's own environment, which a server that runs already was not started with. */

import { parseHubAddress } from '../hub/http.ts';

/**
 * What requests to the server say of the hub. Nothing where the environment says nothing.
 * @throws AppError `invalid_request` that names the variable
 */
export function hubOf(env: NodeJS.ProcessEnv): { readonly hub?: string; readonly token?: string } {
	const { HF_ENDPOINT: hub, HF_TOKEN: token } = env;
	return {
		...(hub ? { hub: parseHubAddress(hub, 'HF_ENDPOINT of this terminal').href } : {}),
		...(token ? { token } : {}),
	};
}
