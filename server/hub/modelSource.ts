/** Where a downloaded model came from. A name stands for one source; another one never takes its place. */

import { AppError, type ModelSource } from '../protocol/index.ts';

/** What a request says of a source; what it leaves out may be anything. */
export type RequestedSource = Omit<ModelSource, 'hub'>;

/** Page of the source on its hub. Given as the address of a download it means the same again. */
export function sourceUri({ hub, repository, revision, path = '' }: ModelSource): string {
	const page = `${hub.replace(/\/$/, '')}/${repository}`;
	if (revision === undefined && path === '') return page;
	const parts = [
		encodeURIComponent(revision ?? 'main'),
		...path.split('/').map(encodeURIComponent),
	];
	return [page, 'tree', ...parts].filter((part) => part !== '').join('/');
}

/** Whether asking there again is asking for the same model. A hub and its mirror have the same repositories. */
export function isSameSource(kept: RequestedSource, requested: RequestedSource): boolean {
	return (
		kept.repository.toLowerCase() === requested.repository.toLowerCase() &&
		(kept.revision ?? 'main') === (requested.revision ?? 'main') &&
		// Earlier versions did not note the folder.
		(kept.path === undefined || kept.path === (requested.path ?? '')) &&
		(requested.precision === undefined || kept.precision === requested.precision)
	);
}

/** The error for a name that belongs to another model. */
export function nameTaken(id: string, kept: ModelSource | undefined): AppError {
	const precision = kept?.precision === undefined ? '' : ` as ${kept.precision}`;
	const from = kept === undefined ? '' : `, from ${sourceUri(kept)}${precision}`;
	return new AppError(
		'conflict',
		`${id} is on this machine already${from}. Give this one another Name or version, or remove that one first.`,
		{ param: 'model.Name' },
	);
}
