/** Message files that are there: what they lack is added, and what has changed in the source is translated again. */

import { basename } from 'node:path';
import { defined } from '../protocol/defined.ts';
import { alignedLists } from '../translate/documents/alignedLists.ts';
import type { TextTranslator } from '../translate/documents/documentLanguage.ts';
import { translateMissingInWorker } from '../translate/documents/documentThread.ts';
import { emptyMessages } from '../translate/documents/emptyMessages.ts';
import type { MessageFormat } from '../translate/documents/messageChanges.ts';
import { checkMessageFiles } from '../translate/documents/messageDamage.ts';
import { messageStates } from '../translate/documents/messageStates.ts';
import {
	type MissingResult,
	messageFormatOf,
	missingMessages,
} from '../translate/documents/missingMessages.ts';
import { keptText } from '../translate/documents/textCounts.ts';
import { recordedMessages, staleMessages } from '../translate/documents/translationRecord.ts';
import { UsageError } from './command.ts';
import { type DocumentFile, encodingNote, readIfThere, writeDocument } from './documentFile.ts';
import type { Due } from './dueFile.ts';
import { failedRenewals } from './failedRenewals.ts';
import type { ProjectRecord } from './projectRecord.ts';
import type { PlannedFile } from './translationPlan.ts';

/** Records what the messages of a translated file are made from. */
export function noteMessages(
	target: string,
	source: string,
	translated: string,
	format: MessageFormat,
	to: string,
	record: ProjectRecord,
	renewed: ReadonlySet<string> = new Set(),
	before = record.messages(target),
): void {
	const states = messageStates(source, translated, format, to, true);
	record.setMessages(target, recordedMessages(states, before, renewed));
}

export async function dueMessages(
	file: PlannedFile,
	read: DocumentFile,
	format: MessageFormat,
	{ encoding }: { readonly encoding?: string },
	record: ProjectRecord,
): Promise<Due | undefined> {
	const { source, target, to, from } = file;
	if (messageFormatOf(target) !== format)
		throw new UsageError(
			`${target} and ${source} are not of one format: JSON, ARB, YAML, properties, po, resx, Apple .strings or Android strings.xml.`,
		);
	const there = await readIfThere(target, encoding);
	const present = there?.text ?? '';
	checkMessageFiles(format, [
		{ name: source, text: read.text },
		{ name: target, text: present },
	]);
	const statesOf = (text: string) => messageStates(read.text, text, format, to);
	/** @param except lists that are left as they are */
	const openedFile = (except?: ReadonlySet<string>) => {
		const lists = alignedLists(read.text, present, format, record.messages(target), except);
		const states = statesOf(lists.text);
		const stale = staleMessages(states, lists.recorded).filter(({ value }) => value);
		return { ...lists, states, stale };
	};
	const opened = openedFile();
	const isWhole = missingMessages(read.text, opened.text, format, to).length === 0;
	if (opened.stale.length === 0 && isWhole && opened.text === present) {
		noteMessages(target, read.text, present, format, to, record, new Set(), opened.recorded);
		return undefined;
	}
	const renew = async (
		{ text, stale, keys }: typeof opened,
		translator: TextTranslator,
		signal: AbortSignal,
	) => {
		const job = { fileName: basename(source), text: read.text, to, ...defined({ from }) };
		/** The file without the translations of changed messages. */
		const merge = (kept: ReadonlySet<string>): Promise<MissingResult> => {
			const changed = stale.filter(({ path }) => !kept.has(JSON.stringify(path)));
			const target = emptyMessages(text, changed);
			return translateMissingInWorker({ ...job, target }, translator, signal);
		};
		const first = await merge(new Set());
		const kept = failedRenewals(stale, first, statesOf(first.text));
		// A changed message that cannot be translated keeps the old translation rather than none.
		const result = kept.size > 0 ? await merge(kept) : first;
		const lacking = statesOf(result.text).filter((state) => state.target === undefined);
		const open = lacking.flatMap(({ path: [key = ''] }) => (keys.has(key) ? [key] : []));
		return { first, result, kept, open: new Set(open) };
	};
	const make: Due['make'] = async (translator, signal) => {
		let file = opened;
		let done = await renew(file, translator, signal);
		const refused = new Set(done.first.refused);
		const { left } = done.first;
		if (done.open.size > 0) {
			// A list with an empty text would be shown so.
			file = openedFile(done.open);
			done = await renew(file, translator, signal);
		}
		const { result, kept } = done;
		const before = there?.encoding ?? read.encoding;
		const isSame = result.text === present;
		const written = isSame ? undefined : await writeDocument(target, result.text, before);
		const paths = file.stale.map(({ path }) => JSON.stringify(path));
		const renewed = new Set(paths.filter((path) => !kept.has(path)));
		noteMessages(target, read.text, result.text, format, to, record, renewed, file.recorded);
		const isRenewed = ({ path }: { readonly path: readonly string[] }) =>
			renewed.has(JSON.stringify(path));
		const added = result.added.filter((one) => !isRenewed(one)).length;
		const line = `${target}: ${added} added, ${renewed.size} renewed${keptText(result.kept)}${encodingNote(written?.encoding, before)}`;
		const isFailed = refused.size > 0 && added <= 0 && renewed.size === 0;
		return {
			...{ line, refused: [...refused], left },
			...(isFailed ? { outcome: 'failed' } : {}),
		};
	};
	return { file, sizeBytes: read.bytes.length, make };
}
