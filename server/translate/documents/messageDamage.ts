/** Whether files of messages can be read, told by the name of the one that cannot. */

import { AppError } from '../../protocol/errors.ts';
import { damageOf } from './damage.ts';
import type { MessageFormat } from './messageChanges.ts';
import { jsonTree, yamlTree } from './messageTree.ts';
import { extractOfMessages } from './missingMessages.ts';

export interface NamedText {
	/** As the user knows it: a path. */
	readonly name: string;
	readonly text: string;
}

/** What cannot be read, as a person is told of it. */
export interface MessageDamage {
	/** Name of the file. */
	readonly name: string;
	/** From 1. */
	readonly line: number;
	/** One sentence that names the file and the place. */
	readonly message: string;
}

/** The first of a source and its translation that cannot be read; a translation may be empty. */
export function messageDamage(
	format: MessageFormat,
	files: readonly NamedText[],
): MessageDamage | undefined {
	const tree = format === 'json' ? jsonTree : format === 'yaml' ? yamlTree : undefined;
	for (const { name, text } of files) {
		const damage = damageOf(text, extractOfMessages(format), name);
		if (damage) return { name, ...damage };
		const isEmpty = text.replace(/^(?:---|#.*|\s+)+/gm, '').trim() === '';
		if (tree !== undefined && !isEmpty && !tree.read(text))
			return { name, line: 1, message: `${name} is no map of messages. Mend it and try again.` };
	}
	return undefined;
}

/** @throws AppError `invalid_request` with what {@link messageDamage} finds */
export function checkMessageFiles(format: MessageFormat, files: readonly NamedText[]): void {
	const damage = messageDamage(format, files);
	if (damage) throw new AppError('invalid_request', damage.message);
}
