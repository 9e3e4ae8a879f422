/** Whether there is a system of translations of a name, asked before anything is sent that would fail for it much later. */

import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { AppError, findModel, nearNamesHint } from '../protocol/index.ts';
import { listModels, translationSystems } from '../protocol/routeAddresses.ts';

/** @throws AppError `invalid_request` for a name that no custom system, model or chat model has */
export async function checkSystem(
	daemon: DaemonConnection,
	name: string,
	signal: AbortSignal,
): Promise<void> {
	const { systems } = await daemon.call(translationSystems, {}, { signal });
	if (systems.some((system) => system.name.toLowerCase() === name.toLowerCase())) return;
	const { data } = await daemon.call(listModels, {}, { signal });
	const models = data.map(({ id, alias }) => {
		const [short = id, version = ''] = id.split(':');
		return { id, name: short, version, alias };
	});
	const [, bare = name] = /^chat:(.+)$/i.exec(name) ?? [];
	if (findModel(models, bare) !== undefined) return;
	// Engines elsewhere have models that they do not list.
	const engine = bare.slice(0, bare.indexOf('/') + 1);
	if (engine !== '' && systems.some(({ model = '' }) => model.startsWith(engine))) return;
	const near = nearNamesHint(
		systems.map((system) => system.name),
		name,
	);
	throw new AppError(
		'invalid_request',
		`There is no system '${name}', so nothing was sent. Those there are: nearglot systems list.${near}`,
		{ param: 'category' },
	);
}
