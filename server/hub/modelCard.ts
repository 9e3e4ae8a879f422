/** The optional card beside a model, which says its name: `nearglot.json`, or `inference_model.json` of older services. */

import { join } from 'node:path';
import { idName } from '../protocol/index.ts';
import { writePrivateFile } from '../store/files.ts';
import { manifestName } from './manifest.ts';
import { maxNameLength } from './modelData/fileLimits.ts';
import { type JsonRecord, readModelJson } from './modelData/readModelFile.ts';

/** Empty where there is none that can be read. */
export async function readCard(folder: string): Promise<JsonRecord> {
	for (const file of [manifestName, 'inference_model.json']) {
		try {
			const card = await readModelJson(folder, file);
			if (card !== undefined) return { ...card, name: card['name'] ?? card['Name'] };
		} catch {
			// No card, or none that can be read: the folder's name is enough.
		}
	}
	return {};
}

/** A field that people read; `undefined` where it is none. */
export function cardText(card: JsonRecord, key: string): string | undefined {
	const value = card[key];
	const isText = typeof value === 'string' && value !== '' && value.length <= maxNameLength;
	return isText ? value : undefined;
}

/** Name and version of a model, by its card or else by its folder. */
export function cardNames(
	card: JsonRecord,
	folderName: string,
): { readonly name: string; readonly version: string } {
	const named = /^(.+?)(?::(\d{1,9}))?$/.exec(cardText(card, 'name') ?? idName(folderName));
	return {
		name: idName(named?.[1] ?? folderName),
		version: cardText(card, 'version') ?? named?.[2] ?? '1',
	};
}

/** The id that the model of a folder will have. @param folderName of the folder that it goes to */
export async function cardId(folder: string, folderName: string): Promise<string> {
	const { name, version } = cardNames(await readCard(folder), folderName);
	return `${name}:${version}`;
}

/** Gives a model with a card another name, and version 1; one without has that of its folder. */
export async function renameCard(folder: string, name: string): Promise<void> {
	const card = await readCard(folder);
	if (Object.keys(card).length === 0) return;
	const names = { id: `${name}:1`, name, version: '1', alias: name, displayName: name };
	const text = JSON.stringify({ ...card, ...names }, null, '\t');
	await writePrivateFile(join(folder, manifestName), `${text}\n`);
}
