/** What may be downloaded without the key: models of the catalogue, to the folder of models. */

import type { Backend } from '../daemon/backend.ts';
import { AppError } from '../protocol/index.ts';
import type { DownloadOptions } from '../services/downloadTarget.ts';

/** @throws AppError `invalid_api_key` for what else one could name, `model_not_found` */
export async function checkKeyless(
	backend: Backend,
	name: string | undefined,
	wanted: DownloadOptions,
): Promise<void> {
	const { entry, source } = await backend.models.target(name, wanted);
	// Nothing is fetched for one that comes with the server, or was added where it lies.
	if (entry === undefined && source !== undefined)
		throw new AppError(
			'invalid_api_key',
			`${(name ?? wanted.uri ?? '').slice(0, 200)} is not in the catalogue: downloading from other places of the hub needs the key of the model server.`,
			{ param: 'model' },
		);
}
