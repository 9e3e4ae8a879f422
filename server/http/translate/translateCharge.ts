/** Who pays for the characters of a request to the translate interface, and what they may not pay. */

import type { Context } from 'hono';
import type { Backend } from '../../daemon/backend.ts';
import { AppError, asAppError } from '../../protocol/index.ts';
import { type Account, type Bill, openBill } from '../../services/limits/account.ts';
import type { TranslateCaller } from '../../services/translate/translateAccess.ts';
import type { LimitVerdict } from '../../services/translate/translateLimits.ts';
import type { AppEnv } from '../env.ts';

type PayingBackend = Pick<Backend, 'people' | 'meter'>;

/** The account of a caller: that of its key, where it shows one of this interface. */
function payerOf(
	context: Context<AppEnv>,
	{ people }: PayingBackend,
	caller: TranslateCaller,
): Account | undefined {
	if (caller.entry !== undefined) return people.accountOfKey(caller.entry);
	if (caller.id === 'owner') return people.accountOf({ caller: 'owner', person: 'local' });
	if (caller.id.startsWith('directory:') || !sharedIds.has(caller.id))
		return people.accountOf({ caller: 'member', person: caller.id });
	return context.get('account');
}

const sharedIds = new Set(['member', 'anonymous']);

/** What a caller is charged in one request, and whether it has been worth it. */
export class TranslateCharges implements AsyncDisposable {
	readonly #context: Context<AppEnv>;
	readonly #backend: PayingBackend;
	readonly #caller: TranslateCaller;
	readonly #bills: { readonly bill: Bill; readonly characters: number }[] = [];

	constructor(context: Context<AppEnv>, backend: PayingBackend, caller: TranslateCaller) {
		this.#context = context;
		this.#backend = backend;
		this.#caller = caller;
	}

	/**
	 * Takes characters from what the caller may use.
	 * @param refuse the interface's own error for a key that has had its hour's share or all it may have
	 * @throws AppError `rate_limited`, and what `refuse` makes
	 */
	async take(
		characters: number,
		refuse: (verdict: Exclude<LimitVerdict, { kind: 'ok' }>) => Error,
	): Promise<Bill> {
		const account = payerOf(this.#context, this.#backend, this.#caller);
		if (account !== undefined) this.#context.set('account', account);
		const bill = await openBill(account, {
			kind: 'translate',
			model: '',
			amounts: { characters },
		});
		const { id, limits } = this.#caller;
		let refusal: Error | undefined;
		try {
			const verdict = this.#backend.meter.take(id, characters, limits);
			if (verdict.kind !== 'ok') refusal = refuse(verdict);
		} catch (error) {
			refusal = asAppError(error);
		}
		if (refusal !== undefined) {
			await bill[Symbol.asyncDispose]();
			throw refusal;
		}
		this.#bills.push({ bill, characters });
		return bill;
	}

	/** The work was done, or is lost because the caller went away: it is paid. */
	settle(): void {
		for (const { bill, characters } of this.#bills) bill.total({ characters });
	}

	/** Runs the work of a request. What fails through no fault of the caller costs nothing. */
	async during<T>(work: () => Promise<T>): Promise<T> {
		try {
			const result = await work();
			this.settle();
			return result;
		} catch (error) {
			if (asAppError(error).code === 'cancelled') this.settle();
			throw error;
		} finally {
			await this[Symbol.asyncDispose]();
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#bills.splice(0).map(({ bill }) => bill[Symbol.asyncDispose]()));
	}
}

/** For interfaces without an own error. */
export function plainRefusal(verdict: Exclude<LimitVerdict, { kind: 'ok' }>): AppError {
	return verdict.kind === 'quota'
		? new AppError('forbidden', 'The quota of this key is used up.')
		: new AppError('rate_limited', rateDetail(verdict), rateOptions(verdict));
}

type RateVerdict = Extract<LimitVerdict, { kind: 'rate' }>;

/** Which limit it is, and what to do where waiting does not help. */
export const rateDetail = ({ limit, retryAfterS }: RateVerdict): string =>
	retryAfterS === undefined
		? `The limit is ${limit}, and this request alone is more. Send smaller ones.`
		: `The limit is ${limit}.`;

/** What the error says of trying again. */
export const rateOptions = ({ retryAfterS }: RateVerdict) =>
	retryAfterS === undefined
		? { data: { tooLarge: true } }
		: { retryAfterS: Math.max(1, Math.ceil(retryAfterS)) };

/** What has translated, each once, for the usage; empty where memories and glossaries did alone. */
export function modelsPaid(
	outcomes: readonly { readonly models: readonly string[] }[],
	engine?: string,
): string {
	const models = [...new Set(outcomes.flatMap(({ models }) => models))].sort();
	return models.length > 0 ? models.join(',') : (engine ?? '');
}
