/** Makes the file names of the settings absolute: they count from the folder of the settings file. */

import { join, resolve } from 'node:path';
import type { GatewaySettings } from './gatewaySettings.ts';

export function resolvePaths(settings: GatewaySettings, folder: string): GatewaySettings {
	const at = (path: string) => resolve(folder, path);
	const { store, keys, tls, auditFile } = settings;
	return {
		...settings,
		store:
			store.kind === 'sqlite' && store.path !== ':memory:'
				? { ...store, path: at(store.path) }
				: store,
		keys: { ...keys, file: at(keys.file ?? join('.', 'gateway-keys.json')) },
		tls: tls && { certFile: at(tls.certFile), keyFile: at(tls.keyFile) },
		auditFile: auditFile === '-' ? '-' : at(auditFile),
	};
}
