/** The thread that keeps responses: it alone waits for the disk. Started with its file and limits. */

import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorWire, toErrorWire } from '../../protocol/errorWire.ts';
import { asAppError } from '../../protocol/index.ts';
import {
	isDamaged,
	openSqliteFile,
	removeDatabase,
	renameDamaged,
	type SqliteFileOptions,
	sqliteError,
} from '../../store/openSqlite.ts';
import { AnswerDatabase } from './answerDatabase.ts';
import { answerTables, answerVersion } from './answerRows.ts';
import type { AnswerCall, AnswerLimits } from './answerStore.ts';

/** What the thread is started with. */
export interface AnswerWorkerData {
	readonly path: string;
	readonly limits: AnswerLimits;
	readonly busyMs: number;
}

export interface AnswerQuestion {
	readonly number: number;
	readonly call: AnswerCall;
	readonly given: readonly unknown[];
}

export type AnswerReply =
	| { readonly number: number; readonly value: unknown }
	| { readonly number: number; readonly error: ErrorWire }
	/** A sentence for people: a damaged file was set aside. */
	| { readonly notice: string };

const sweepMs = 60_000;
const interrupted = {
	code: 'server_error',
	message: 'The model server ended before this response was complete. Ask again.',
};

class Keeper {
	readonly #data: AnswerWorkerData;
	readonly #file: SqliteFileOptions;
	#db: DatabaseSync | undefined;
	#answers: AnswerDatabase | undefined;
	/** What a process before this one has left without an end is ended once. */
	#isFirst = true;
	#sweptMs = Number.NEGATIVE_INFINITY;

	constructor(data: AnswerWorkerData, onAside: (sentence: string) => void) {
		this.#data = data;
		this.#file = {
			holds: 'The kept responses',
			schema: answerTables,
			version: answerVersion,
			busyMs: data.busyMs,
			now: () => new Date(),
			onAside,
		};
	}

	async answer({ call, given }: AnswerQuestion): Promise<unknown> {
		const { path } = this.#data;
		try {
			if (call === 'deleteAll') return await this.#deleteAll();
			const answers = await this.#open();
			const run = answers[call] as (...given: readonly unknown[]) => unknown;
			return run.apply(answers, [...given]);
		} catch (error) {
			const known = sqliteError(error, path, this.#file.holds);
			if (isDamaged(error)) {
				this.close();
				await renameDamaged(path, this.#file);
			}
			throw known;
		}
	}

	close(): void {
		this.#answers = undefined;
		const db = this.#db;
		this.#db = undefined;
		if (db?.isOpen) db.close();
	}

	async #open(): Promise<AnswerDatabase> {
		const { path, limits } = this.#data;
		if (this.#answers === undefined) {
			this.#db = await openSqliteFile(path, this.#file);
			this.#answers = new AnswerDatabase(this.#db, limits, Date.now);
			if (this.#isFirst) this.#answers.endUnfinished(interrupted);
			this.#isFirst = false;
		}
		if (performance.now() - this.#sweptMs > sweepMs) {
			this.#sweptMs = performance.now();
			this.#answers.sweep();
		}
		return this.#answers;
	}

	async #deleteAll(): Promise<number> {
		let count = 0;
		try {
			const { responses, conversations } = (await this.#open()).counts();
			count = responses + conversations;
		} catch {
			// What cannot be read can be deleted.
		}
		this.close();
		await removeDatabase(this.#data.path);
		return count;
	}
}

if (parentPort) {
	const port = parentPort;
	const post = (reply: AnswerReply) => port.postMessage(reply);
	const keeper = new Keeper(workerData as AnswerWorkerData, (notice) => post({ notice }));
	let last: Promise<void> = Promise.resolve();
	port.on('message', (question: AnswerQuestion | 'close') => {
		if (question === 'close') {
			last = last.then(() => {
				keeper.close();
				port.close();
			});
			return;
		}
		const { number } = question;
		last = last
			.then(() => keeper.answer(question))
			.then(
				(value) => post({ number, value }),
				(error: unknown) =>
					post({ number, error: toErrorWire(asAppError(error, 'using the kept responses')) }),
			);
	});
}
