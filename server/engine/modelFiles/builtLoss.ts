/** What a model's folder says of what was lost when it was built here. */

import { maxNameLength } from '../../hub/modelData/fileLimits.ts';
import type { BuiltLoss } from '../../protocol/index.ts';
import { asNumber, asRecord, asString, type JsonRecord, readJsonFile } from './json.ts';

/** The file in a model's folder that says of what it was built, how, and what was lost. */
export const originName = 'nearglot-origin.json';

/** `undefined` for models that were not built here, and where the file says nothing that is understood. */
export async function readBuiltLoss(folder: string): Promise<BuiltLoss | undefined> {
	const origin = await readJsonFile(folder, originName).catch(() => undefined);
	const loss = asRecord(origin?.['loss']);
	if (loss === undefined) return undefined;
	if (loss['measured'] === 'nothing') return { measured: 'nothing' };
	const weightError = asNumber(loss['weightError']);
	if (weightError === undefined) return undefined;
	const weights = { weightError, ...worstOf(asRecord(loss['worstWeight'])) };
	const why = asString(loss['why']);
	if (loss['measured'] === 'weights' && why !== undefined)
		return { measured: 'weights', why: why.slice(0, maxNameLength), ...weights };
	const [positions, divergence, sameToken] = ['positions', 'divergence', 'sameToken'].map((key) =>
		asNumber(loss[key]),
	);
	if (positions === undefined || divergence === undefined || sameToken === undefined)
		return undefined;
	return { measured: 'answers', positions, divergence, sameToken, ...weights };
}

function worstOf(
	worst: JsonRecord | undefined,
): Pick<BuiltLoss & { measured: 'weights' }, 'worstWeight'> {
	const name = asString(worst?.['name']);
	const error = asNumber(worst?.['error']);
	if (name === undefined || error === undefined) return {};
	return { worstWeight: { name: name.slice(0, maxNameLength), error } };
}
