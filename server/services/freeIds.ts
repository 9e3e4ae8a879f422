/** Which ids are free: folders and cards may say other names, and ids are what models are called by. */

import type { Downloads } from '../hub/downloads.ts';
import { AppError, comparableName, type ModelInfo } from '../protocol/index.ts';

/** @throws AppError `conflict` where a model has an id, or will have it */
export type CheckFree = (id: string) => Promise<void>;

export function freeIds(
	list: () => Promise<readonly ModelInfo[]>,
	downloads: Pick<Downloads, 'list'>,
): CheckFree {
	return async (id) => {
		const wanted = comparableName(id);
		const isSame = (other: string) => comparableName(other) === wanted;
		const isHere = (await list()).some((model) => isSame(model.id));
		if (!isHere && !downloads.list().some(({ model }) => isSame(model))) return;
		throw new AppError(
			'conflict',
			`${id} ${isHere ? 'is here already' : 'is being downloaded just now'}. Remove that, or give this one another name.`,
			{ param: 'name' },
		);
	};
}
