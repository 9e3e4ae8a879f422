/** The record of translations in the folder of a project: found, read, and written while work goes on. */

import { stat } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { errno, systemError } from '../protocol/index.ts';
import { makeFolder } from '../store/makeFolder.ts';
import { readPathText } from '../store/openPath.ts';
import { Spelling } from '../store/spelling.ts';
import {
	emptyRecord,
	type MadeFile,
	type MadeMessage,
	parseRecord,
	recordPath,
	recordText,
	type TranslationRecord,
} from '../translate/documents/translationRecord.ts';
import { globMatcher, isGlob } from './fileGlob.ts';
import { writeOutput } from './outputFile.ts';
import { withSlashes } from './sourceFiles.ts';

/** What a hard end of the process may lose. */
const writeAfterMs = 1000;

export class ProjectRecord {
	/** The project's folder. */
	readonly folder: string;
	/** Whether there was a record. */
	readonly isThere: boolean;
	readonly #record: TranslationRecord;
	readonly #spelling: Spelling;
	/** Translated files whose entries this process has changed. */
	readonly #changed = new Set<string>();
	#timer: NodeJS.Timeout | undefined;
	#writing: Promise<void> = Promise.resolve();

	constructor(
		folder: string,
		isThere: boolean,
		record: TranslationRecord,
		spelling = new Spelling(),
	) {
		this.folder = spelling.of(folder);
		this.isThere = isThere;
		this.#spelling = spelling;
		this.#record = this.#spelled(record);
	}

	/** The record of the project that a folder lies in: the nearest one that has a record or a repository. */
	static async open(start: string, spelling = new Spelling()): Promise<ProjectRecord> {
		const isAt = async (path: string): Promise<boolean> =>
			(await stat(path).catch(() => undefined)) !== undefined;
		for (let folder = resolve(start); ; folder = dirname(folder)) {
			const isTop = dirname(folder) === folder;
			const has = await isAt(resolve(folder, recordPath));
			if (!has && !isTop && !(await isAt(resolve(folder, '.git')))) continue;
			// Outside of any project the record lies where the command runs.
			const found = has || !isTop ? folder : resolve(start);
			const text = has ? await read(resolve(found, recordPath)) : undefined;
			const record = text === undefined ? emptyRecord() : parseRecord(text);
			return new ProjectRecord(found, has, record, spelling);
		}
	}

	/** Path as the record has it: one name for each file, however it was typed. */
	nameOf(path: string): string {
		return withSlashes(relative(this.folder, this.#spelling.of(path)));
	}

	/** Path of a name of the record, as the command line would write it. */
	pathOf(name: string): string {
		return withSlashes(relative('.', resolve(this.folder, name)));
	}

	/** Whether a file is a translation that was made here. */
	knows(path: string): boolean {
		const name = this.nameOf(path);
		return this.#record.files.has(name) || this.#record.messages.has(name);
	}

	/** Translations that were made as a whole of files that are named, or lie in folders that are, or match patterns; paths as the command line would write them. */
	madeFiles(names: readonly string[]): { source: string; target: string; to: string }[] {
		const named = names.map((name) => this.nameOf(name));
		const patterns = named.filter(isGlob).map((name) => globMatcher(name));
		const isNamed = (path: string): boolean =>
			named.some((name) => name === '' || path === name || path.startsWith(`${name}/`)) ||
			patterns.some((matches) => matches(path));
		return [...this.#record.files]
			.filter(([target, { source }]) => isNamed(source) || isNamed(target))
			.map(([target, { source, to }]) => ({
				...{ source: this.pathOf(source), target: this.pathOf(target), to },
			}));
	}

	file(target: string): MadeFile | undefined {
		return this.#record.files.get(this.nameOf(target));
	}

	messages(target: string): ReadonlyMap<string, MadeMessage> | undefined {
		return this.#record.messages.get(this.nameOf(target));
	}

	setFile(target: string, { source, ...hashes }: MadeFile): void {
		this.#record.files.set(this.nameOf(target), { source: this.nameOf(source), ...hashes });
		this.#change(target);
	}

	setMessages(target: string, messages: Map<string, MadeMessage>): void {
		if (sameMessages(this.messages(target), messages)) return;
		this.#record.messages.set(this.nameOf(target), messages);
		this.#change(target);
	}

	/** Writes what is not written yet. */
	async close(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		if (this.#changed.size > 0) this.#write();
		await this.#writing;
	}

	/** A record with one name for each file; of two that an earlier version kept for one, the last counts. */
	#spelled({ files, messages, ...rest }: TranslationRecord): TranslationRecord {
		const nameOf = (name: string) => this.nameOf(resolve(this.folder, name));
		return {
			...rest,
			files: new Map(
				[...files].map(([target, made]) => [
					nameOf(target),
					{ ...made, source: nameOf(made.source) },
				]),
			),
			messages: new Map([...messages].map(([target, made]) => [nameOf(target), made])),
		};
	}

	#change(target: string): void {
		this.#changed.add(this.nameOf(target));
		// Whoever waits for the end of the work is told of what cannot be written there.
		this.#timer ??= setTimeout(() => {
			this.#timer = undefined;
			this.#write();
			this.#writing.catch(() => {});
		}, writeAfterMs);
	}

	#write(): void {
		this.#writing = this.#writing.then(() => this.#save());
	}

	async #save(): Promise<void> {
		const path = resolve(this.folder, recordPath);
		const text = await read(path);
		// Another command may have written meanwhile: only what is ours is put in the place of its own.
		const now = this.#spelled(text === undefined ? emptyRecord() : parseRecord(text));
		for (const name of this.#changed) {
			const [file, messages] = [this.#record.files.get(name), this.#record.messages.get(name)];
			if (file) now.files.set(name, file);
			if (messages) now.messages.set(name, messages);
		}
		this.#changed.clear();
		const next = recordText(now);
		if (next === text) return;
		try {
			makeFolder(dirname(path));
		} catch (error) {
			throw systemError(error, { path: dirname(path), verb: 'made' }) ?? error;
		}
		await writeOutput(path, next);
	}
}

async function read(path: string): Promise<string | undefined> {
	try {
		return await readPathText(path);
	} catch (error) {
		if (errno(error) === 'ENOENT') return undefined;
		throw systemError(error, { path, verb: 'read' }) ?? error;
	}
}

function sameMessages(
	before: ReadonlyMap<string, MadeMessage> | undefined,
	now: ReadonlyMap<string, MadeMessage>,
): boolean {
	if (before?.size !== now.size) return false;
	for (const [key, { from, made }] of now) {
		const old = before.get(key);
		if (old?.from !== from || old.made !== made) return false;
	}
	return true;
}
