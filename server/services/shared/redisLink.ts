/**
 * The Redis or Valkey that replicas share: one connection for all of it and a deadline on each call. One that has not
 * answered is asked again in the background; until it does, calls fail at once, so that no request waits for it.
 */

import { DisconnectsClientError, ErrorReply } from 'redis';
import { inTime, LateAnswer, makeClient } from '../../gateway/store/redisStore.ts';
import { leaveReplica } from '../../net/leaveReplica.ts';
import { leaveSilent, noteAnswer } from '../../net/leaveSilent.ts';
import { AppError } from '../../protocol/index.ts';

export type RedisClient = ReturnType<typeof makeClient>;

/** Begins the name of everything that replicas share, apart from limits and usage, which have older names. */
export const sharedPrefix = 'nearglot:shared:';

/** Longest wait of a request for one answer. */
const callMs = 1000;
/** Between tries while it is away. */
const probeMs = 500;

/** What a Redis says that takes no changes at the moment, whoever asks. */
const refusesAll =
	/\b(?:OOM|READONLY|NOPERM|LOADING|MISCONF|NOAUTH|WRONGPASS|MASTERDOWN|NOREPLICAS)\b/;

/** Told why it is away, once, and `undefined` once it is back. */
export type LinkReport = (failure: string | undefined) => void;

export class RedisLink {
	readonly #client: RedisClient;
	readonly #report: LinkReport;
	/** Resolves when it is known whether it is there. */
	readonly #first: Promise<void>;
	readonly #listeners: (() => void)[] = [];
	#failure: string | undefined;
	#backAt = Number.NEGATIVE_INFINITY;
	#timer: NodeJS.Timeout | undefined;
	#isClosed = false;

	/**
	 * Connects in the background and keeps trying.
	 * @param url `redis://[user:password@]host:port[/number]` or `rediss://…`
	 * @throws AppError `invalid_request` for an address that is none
	 */
	constructor(url: string, report: LinkReport = () => {}) {
		this.#report = report;
		this.#client = makeClient(url, { setting: '--redis or NEARGLOT_REDIS' });
		this.#client.on('error', (error: unknown) => this.#failed(error));
		const connected = this.#client.connect().then(
			() => {},
			(error: unknown) => this.#failed(error),
		);
		this.#first = inTime(() => connected, callMs).catch((error: unknown) => this.#failed(error));
	}

	/** Whether it has answered last. */
	get isThere(): boolean {
		return this.#failure === undefined;
	}

	/** Why it is away. */
	get failure(): string | undefined {
		return this.#failure;
	}

	/** Milliseconds since it came back; infinite where it was never away. */
	get backForMs(): number {
		return performance.now() - this.#backAt;
	}

	/** Calls back each time when it is there again. */
	onBack(listener: () => void): void {
		this.#listeners.push(listener);
	}

	/**
	 * @param ms milliseconds for an answer
	 * @throws AppError `store_unavailable` when it is away, does not answer in time, or refuses
	 */
	async run<T>(work: (client: RedisClient) => Promise<T>, ms = callMs): Promise<T> {
		await this.#first;
		if (this.#failure !== undefined) throw away();
		try {
			const answer = await inTime(() => work(this.#client), ms);
			noteAnswer(this.#client);
			return answer;
		} catch (error) {
			// What was done with an answer is no fault of the store.
			if (error instanceof AppError) throw error;
			leaveReplica(this.#client, error);
			if (error instanceof LateAnswer) leaveSilent(this.#client);
			if (!(error instanceof ErrorReply) || refusesAll.test(error.message)) this.#failed(error);
			throw away(error);
		}
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		clearTimeout(this.#timer);
		this.#client.destroy();
	}

	#failed(error: unknown): void {
		if (this.#isClosed) return;
		// What is given up with a connection says nothing of why.
		if (error instanceof DisconnectsClientError && this.#failure !== undefined) return;
		const reason = reasonOf(error);
		if (this.#failure === undefined) this.#report(reason);
		this.#failure = reason;
		this.#timer ??= setTimeout(() => void this.#probe(), probeMs).unref();
	}

	async #probe(): Promise<void> {
		try {
			// One that is full, or may only be read, answers questions all the same.
			const expiration = { type: 'PX', value: probeMs } as const;
			await inTime(() => this.#client.set(`${sharedPrefix}probe`, '', { expiration }), callMs);
		} catch (error) {
			leaveReplica(this.#client, error);
			if (error instanceof LateAnswer) leaveSilent(this.#client);
			this.#timer = undefined;
			// Of one that cannot be reached, the reason of the connection says more.
			if (this.#client.isReady) this.#failed(error);
			else this.#failed(new Error(this.#failure));
			return;
		}
		this.#timer = undefined;
		noteAnswer(this.#client);
		if (this.#isClosed) return;
		this.#failure = undefined;
		this.#backAt = performance.now();
		this.#report(undefined);
		for (const listener of this.#listeners) listener();
	}
}

/** Why it is away stands in the log: members are not told inner addresses. */
const away = (cause?: unknown): AppError =>
	new AppError(
		'store_unavailable',
		'The Redis that replicas share cannot be used at the moment. Try again soon.',
		{ retryAfterS: 2, cause },
	);

/** Several addresses of one name fail together, and then the reasons are inside. */
function reasonOf(error: unknown): string {
	if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
	const message = error instanceof Error ? error.message : String(error);
	const { code } = error as { readonly code?: unknown };
	return message || (typeof code === 'string' ? code : 'it does not answer');
}
