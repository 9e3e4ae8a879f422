/** What a command says of a model that is not on this machine. */

import { findModel, type ModelInfo, nearNamesHint } from '../protocol/index.ts';

/** @param models of this machine, which have folders, and of the catalogue */
export function absentModelText(name: string, models: readonly ModelInfo[]): string {
	const offered = findModel(models, name);
	if (offered?.origin === 'catalogue')
		return `${name} is not on this machine; 'nearglot models pull ${offered.alias}' downloads it.`;
	if (offered !== undefined && offered.folder === undefined)
		return `${offered.id} answers elsewhere: nothing of it is on this machine.`;
	const ids = models.flatMap(({ id, folder }) => (folder === undefined ? [] : [id]));
	return `There is no model ${name} on this machine.${nearNamesHint(ids, name)} 'nearglot models list' shows those there are.`;
}
