/**
 * `nearglot translate --batch`: files go to the model server, which translates them beside what people ask it. The
 * command may end meanwhile; the next one of its kind in the project fetches what is done.
 */

import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DaemonConnection } from '../daemon/daemonConnection.ts';
import { findOrStartDaemon } from '../daemon/findDaemon.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, asAppError, setFormFile } from '../protocol/index.ts';
import { deleteFile, uploadFile } from '../protocol/routeAddresses.ts';
import {
	type DocumentOperation,
	type DocumentState,
	documentBatchLimits,
} from '../protocol/routes/documentBatches.ts';
import { isCatalogue } from '../translate/documents/catalogues.ts';
import { messageFormatOf } from '../translate/documents/missingMessages.ts';
import { countsText } from '../translate/documents/textCounts.ts';
import { textHash } from '../translate/documents/translationRecord.ts';
import { canonicalLanguage } from '../translate/languageCodes.ts';
import type { ParsedArgs } from './args.ts';
import { type BatchNote, type NotedTranslation, readNotes, writeNotes } from './batchNotes.ts';
import { type CommandIo, UsageError } from './command.ts';
import { linkTranslatedFiles, notLinked } from './crossFileLinks.ts';
import { documentHash, readDocument, readIfThere, writeBytes } from './documentFile.ts';
import { isUntranslated, leftOf, untranslatedLine } from './dueFile.ts';
import { noteMessages } from './dueMessages.ts';
import { checkSystem } from './knownSystem.ts';
import { meaningOf, noFile } from './namedFile.ts';
import { checkFolder, checkInside } from './outputFile.ts';
import { ProjectRecord } from './projectRecord.ts';
import { checkPlanned, isCurrent, refusedIn } from './translateFiles.ts';
import { type PlannedFile, type PlanOptions, translationPlan } from './translationPlan.ts';

export interface BatchOptions extends PlanOptions {
	readonly force: boolean;
	readonly category?: string;
}

/** Options that are no business of batches. */
const foreign =
	'watch html json align doubtful into tone gender engine encoding column accept format'.split(' ');

const batches = '/translator/document/batches';
const version = 'api-version=2024-05-01';
const pollMs = 500;
/** As long as a batch of documents may take. */
const keepS = 7 * 86_400;

/** @returns the exit code */
export async function translateBatch(
	given: ParsedArgs,
	targets: readonly string[],
	category: string | undefined,
	io: CommandIo,
): Promise<number> {
	const options = await batchOptions(given, targets, category);
	const record = await ProjectRecord.open('.');
	const batch = new ProjectBatch(record, options, io);
	try {
		await batch.goOn();
		const { files } = await translationPlan(options, record, io.signal);
		checkPlanned(files, options.names);
		await batch.begin(files);
		await batch.goOn();
		await batch.link(files);
	} finally {
		await record.close();
	}
	return batch.end();
}

/** @throws UsageError, AppError for what does not go with batches */
async function batchOptions(
	options: ParsedArgs,
	targets: readonly string[],
	category: string | undefined,
): Promise<BatchOptions> {
	const { positionals: names } = options;
	if (names.length === 0)
		throw new UsageError('Name files or folders: nearglot translate docs --to de --batch');
	const isGiven = (name: string): boolean =>
		options.has(name) || options.text(name) !== undefined || options.texts(name).length > 0;
	const other = foreign.find(isGiven);
	if (other !== undefined) throw new UsageError(`--${other} does not go with --batch.`);
	for (const name of names)
		if ((await meaningOf(name)) === 'missing') throw new AppError('not_found', noFile(name));
	return {
		...{ names, targets, force: options.has('force') },
		...defined({ from: options.text('from'), out: options.text('out'), category }),
	};
}

class ProjectBatch {
	readonly #record: ProjectRecord;
	readonly #options: BatchOptions;
	readonly #io: CommandIo;
	#daemon: Promise<DaemonConnection> | undefined;
	#translated = 0;
	#failed = 0;
	#current = 0;
	/** Of those that are translated or up to date, files with texts that stayed as they were. */
	#incomplete = 0;

	constructor(record: ProjectRecord, options: BatchOptions, io: CommandIo) {
		this.#record = record;
		this.#options = options;
		this.#io = io;
	}

	/** Fetches what the batches that are noted make, until they have ended. */
	async goOn(): Promise<void> {
		for (let notes = await readNotes(this.#record); notes.length > 0; notes = notes.slice(1)) {
			const [note] = notes;
			const id = note?.id ?? (note?.asked && (await this.#begun(note.asked)));
			if (note !== undefined && id !== undefined) await this.#follow({ id, wanted: note.wanted });
			await writeNotes(this.#record, notes.slice(1));
		}
	}

	/** Sends those files whose translations are not up to date. */
	async begin(files: readonly PlannedFile[]): Promise<void> {
		const due = new Map<string, { file: PlannedFile; hash: string }[]>();
		for (const file of files)
			try {
				const hash = await this.#dueHash(file);
				if (hash === undefined) {
					this.#current++;
					if ((await refusedIn(file.target, this.#record)) > 0) this.#incomplete++;
				} else due.set(file.source, [...(due.get(file.source) ?? []), { file, hash }]);
			} catch (error) {
				this.#fail(file.source, error);
			}
		const { category } = this.#options;
		if (category !== undefined && due.size > 0)
			await checkSystem(await this.#connect(), category, this.#io.signal);
		const inputs: { readonly wanted: readonly NotedTranslation[]; readonly from?: string }[] = [];
		for (const [source, own] of due) {
			const file = await this.#upload(source);
			const wanted = own.map(({ file: { target, to }, hash }) => ({
				...{ to, hash, file, language: canonicalLanguage(to) ?? to },
				source: this.#record.nameOf(source),
				target: this.#record.nameOf(target),
			}));
			const from = own[0]?.file.from;
			for (let at = 0; at < wanted.length; at += documentBatchLimits.targets)
				inputs.push({
					wanted: wanted.slice(at, at + documentBatchLimits.targets),
					...defined({ from }),
				});
		}
		for (let at = 0; at < inputs.length; at += documentBatchLimits.inputs) {
			const some = inputs.slice(at, at + documentBatchLimits.inputs);
			const asked = { key: randomUUID(), body: this.#bodyOf(some) };
			const wanted = some.flatMap((one) => one.wanted);
			const before = await readNotes(this.#record);
			// Before it is asked for: whenever this command ends, the next one asks for the same batch.
			await writeNotes(this.#record, [...before, { asked, wanted }]);
			const id = await this.#start(asked);
			await writeNotes(this.#record, [...before, { id, wanted }]);
		}
	}

	/** Has links follow the headings of what was made, as they do without a batch. */
	async link(files: readonly PlannedFile[]): Promise<void> {
		for (const path of await linkTranslatedFiles(files, this.#record, this.#io))
			this.#print(`${path}: links follow headings of other files`);
	}

	end(): number {
		const parts = [
			`${this.#translated} translated`,
			...(this.#current > 0 ? [`${this.#current} up to date`] : []),
			...(this.#incomplete > 0
				? [`${this.#incomplete} of these with texts that stayed as they were`]
				: []),
			...(this.#failed > 0 ? [`${this.#failed} failed`] : []),
		];
		this.#print(parts.join(', '));
		return this.#failed > 0 ? 1 : 0;
	}

	/** Hash of a source whose translation is to be made; `undefined` when that is up to date. */
	async #dueHash(file: PlannedFile): Promise<string | undefined> {
		const { source, target, to } = file;
		await checkInside(this.#record.folder, target);
		await checkFolder(target);
		const hash = await documentHash(source);
		const { force } = this.#options;
		if (source === target && isCatalogue(source))
			throw new UsageError(
				`${source} holds all its languages, and translations go into it. That is done without --batch.`,
			);
		const isThere = (await stat(target).catch(() => undefined)) !== undefined;
		if (isThere && !force && messageFormatOf(source) !== undefined) {
			if (this.#record.file(target)?.from === hash) return undefined;
			throw new UsageError(
				`${target} is there, and only what it lacks is translated. That is done without --batch.`,
			);
		}
		if (canonicalLanguage(to) === undefined)
			throw new UsageError(`'${to}' is no language that is known here.`);
		return (await isCurrent(file, hash, { force }, this.#record)) ? undefined : hash;
	}

	async #upload(path: string): Promise<string> {
		const form = new FormData();
		form.append('purpose', 'user_data');
		form.append('expires_after[anchor]', 'created_at');
		form.append('expires_after[seconds]', String(keepS));
		setFormFile(form, await openAsBlob(path), basename(path));
		const daemon = await this.#connect();
		return (await daemon.call(uploadFile, { body: form }, { signal: this.#io.signal })).id;
	}

	#bodyOf(
		inputs: readonly { readonly wanted: readonly NotedTranslation[]; readonly from?: string }[],
	): string {
		const { category } = this.#options;
		return JSON.stringify({
			inputs: inputs.map(({ wanted, from }) => ({
				storageType: 'File',
				source: { sourceUrl: `/v1/files/${wanted[0]?.file}`, ...defined({ language: from }) },
				targets: wanted.map(({ language }) => ({
					...{ targetUrl: '/v1/files', language },
					...defined({ category }),
				})),
			})),
		});
	}

	async #start({ key, body }: { readonly key: string; readonly body: string }): Promise<string> {
		const headers = { 'content-type': 'application/json', 'idempotency-key': key };
		const response = await this.#ask(`${batches}?${version}`, { method: 'POST', headers, body });
		const location = response.headers.get('operation-location') ?? '';
		return new URL(location).pathname.split('/').at(-1) ?? '';
	}

	/** The batch of a command that ended before it heard of it; `undefined` where the server no longer has its files. */
	async #begun(asked: NonNullable<BatchNote['asked']>): Promise<string | undefined> {
		try {
			return await this.#start(asked);
		} catch (error) {
			if (error instanceof AppError && !error.kind.retryable && error.kind.httpStatus < 500)
				return undefined;
			throw error;
		}
	}

	async #follow({ id, wanted }: BatchNote & { readonly id: string }): Promise<void> {
		const { signal, stderr } = this.#io;
		const seen = new Set<string>();
		let ended = -1;
		try {
			for (;;) {
				const now = await this.#operation(id);
				if (now === undefined) {
					this.#print(`The batch ${id} is not known any more; what it lacked is sent again.`);
					return;
				}
				const { total, success, failed, cancelled, inProgress } = now.summary;
				if (stderr.isTTY)
					stderr.status(
						`${success + failed} of ${total} documents${inProgress > 0 ? `, ${inProgress} under way` : ''}`,
					);
				if (success + failed + cancelled !== ended) {
					ended = success + failed + cancelled;
					for (const state of await this.#states(id)) await this.#take(state, wanted, seen);
				}
				if (!/^(?:NotStarted|Running|Cancelling)$/.test(now.status)) break;
				await sleep(pollMs, undefined, { signal });
			}
		} catch (error) {
			if (signal.aborted)
				this.#print(
					`The batch ${id} goes on. The same command fetches what is done; nearglot batch cancel ${id} ends it.`,
				);
			throw error;
		}
		const daemon = await this.#connect();
		for (const file of new Set(wanted.map((one) => one.file)))
			await daemon.call(deleteFile, { params: { id: file } }, { signal }).catch(() => {});
	}

	async #operation(id: string): Promise<DocumentOperation | undefined> {
		try {
			return (await (await this.#ask(`${batches}/${id}?${version}`)).json()) as DocumentOperation;
		} catch (error) {
			if (error instanceof AppError && error.code === 'not_found') return undefined;
			throw error;
		}
	}

	async #states(id: string): Promise<DocumentState[]> {
		const found: DocumentState[] = [];
		for (
			let path: string | undefined = `${batches}/${id}/documents?${version}&maxpagesize=100`;
			path;
		) {
			const page = (await (await this.#ask(path)).json()) as {
				readonly value: readonly DocumentState[];
				readonly nextLink?: string;
			};
			for (const state of page.value) found.push(state);
			const next = page.nextLink === undefined ? undefined : new URL(page.nextLink);
			path = next && next.pathname + next.search;
		}
		return found;
	}

	async #take(
		state: DocumentState,
		wanted: readonly NotedTranslation[],
		seen: Set<string>,
	): Promise<void> {
		const { status, sourcePath, to, path, error, texts } = state;
		if (seen.has(state.id) || !/^(?:Succeeded|Failed|Cancelled)$/.test(status)) return;
		seen.add(state.id);
		const file = new URL(sourcePath).pathname.split('/')[3];
		const one = wanted.find((each) => each.file === file && each.language === to);
		if (one === undefined) return;
		const place = this.#record.pathOf(one.target);
		try {
			if (status !== 'Succeeded' || path === undefined)
				throw new UsageError(error?.message ?? 'The batch was cancelled.');
			const { pathname } = new URL(path);
			const { refused = 0, ...counts } = texts ?? { pieces: 0, translated: 0, partly: 0 };
			const result = { ...counts, refused: { length: refused } };
			if (isUntranslated(result))
				throw new UsageError(untranslatedLine(this.#record.pathOf(one.source)));
			const bytes = new Uint8Array(await (await this.#ask(pathname)).arrayBuffer());
			const before = await this.#madeHere(place);
			if (before === false)
				throw new UsageError(`${place} was changed meanwhile; --force replaces it.`);
			await checkInside(this.#record.folder, place);
			await writeBytes(place, bytes);
			const source = this.#record.pathOf(one.source);
			this.#record.setFile(place, {
				...{ source, to: one.to, from: one.hash, ...notLinked({ source, target: place }) },
				...{ made: await documentHash(place), refused, ...leftOf(result, {}) },
			});
			await this.#noteMessages(one, place);
			this.#translated++;
			if (refused > 0) this.#incomplete++;
			this.#print(`${place}: ${texts === undefined ? 'translated' : countsText(texts)}`);
			const daemon = await this.#connect();
			const id = pathname.split('/')[3] ?? '';
			await daemon.call(deleteFile, { params: { id } }).catch(() => {});
		} catch (error) {
			this.#fail(place, error);
		}
	}

	/** Records what the messages of a file are made from, where its source is what was sent. */
	async #noteMessages({ source, to, hash }: NotedTranslation, place: string): Promise<void> {
		const path = this.#record.pathOf(source);
		const format = messageFormatOf(path);
		const sent = format && (await readIfThere(path).catch(() => undefined));
		if (!sent || textHash(sent.bytes) !== hash) return;
		const { text } = await readDocument(place);
		noteMessages(place, sent.text, text, format, to, this.#record);
	}

	/** Whether a file that is there may be replaced. */
	async #madeHere(place: string): Promise<boolean> {
		if (this.#options.force || (await stat(place).catch(() => undefined)) === undefined)
			return true;
		return this.#record.file(place)?.made === (await documentHash(place));
	}

	#fail(path: string, error: unknown): void {
		this.#io.signal.throwIfAborted();
		this.#failed++;
		const { message } = error instanceof UsageError ? error : asAppError(error);
		this.#print(message.includes(path) ? message : `${path}: ${message}`);
	}

	#print(line: string): void {
		this.#io.stderr.write(`${line}\n`);
	}

	async #ask(path: string, init: RequestInit = {}): Promise<Response> {
		return (await this.#connect()).request(path, { ...init, signal: this.#io.signal });
	}

	#connect(): Promise<DaemonConnection> {
		const { env, signal, stderr } = this.#io;
		const onStarting = (): void => {
			if (stderr.isTTY) stderr.write('Starting the model server …\n');
		};
		this.#daemon ??= findOrStartDaemon({ env, onStarting }, signal);
		return this.#daemon;
	}
}
