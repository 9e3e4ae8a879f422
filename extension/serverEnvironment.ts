/** Settings that the server of this computer is started with, as the variables it reads them from. */

import { delimiter } from 'node:path';
import { setting } from './settings.ts';

export function serverEnvironment(): Record<string, string> {
	const roots = setting('models.roots').filter((path) => typeof path === 'string' && path !== '');
	const refuse = setting('models.refuseProvider');
	return {
		...(roots.length === 0 ? {} : { NEARGLOT_MODEL_ROOTS: roots.join(delimiter) }),
		...(refuse === 'named' ? {} : { NEARGLOT_REFUSE_EP: refuse }),
	};
}
