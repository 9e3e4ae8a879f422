/** Whether files of messages can be read, told by the name of the one that cannot. */

import { AppError } from '../../protocol/errors.ts';
import { checkWhole } from './damage.ts';
import { jsonTree, yamlTree } from './messageTree.ts';
import { extractOfMessages, type MessageFormat } from './missingMessages.ts';

export interface NamedText {
	/** As the user knows it: a path. */
	readonly name: string;
	readonly text: string;
}

/**
 * Checks a source and its translation; a translation may be empty.
 *
 * @throws AppError `invalid_request` that names the first file with a fault, and where that is
 */
export function checkMessageFiles(format: MessageFormat, files: readonly NamedText[]): void {
	const tree = format === 'json' ? jsonTree : format === 'yaml' ? yamlTree : undefined;
	for (const { name, text } of files) {
		checkWhole(text, extractOfMessages(format), name);
		const isEmpty = text.replace(/^(?:---|#.*|\s+)+/gm, '').trim() === '';
		if (tree === undefined || isEmpty || tree.read(text)) continue;
		throw new AppError('invalid_request', `${name} is no map of messages. Mend it and try again.`);
	}
}
