/** Wraps a route that asks a model: measures it, logs it, and passes its error on. */

import type { Context } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { defined } from '../protocol/defined.ts';
import type { Usage } from '../protocol/index.ts';
import type { CallerFacts } from '../services/usageLog.ts';
import type { AppEnv } from './env.ts';
import { httpError } from './httpErrors.ts';
import { anonymousPerson, localPerson, personOf } from './requestPerson.ts';

export interface RequestRecord {
	/** The model, once it is known in full. */
	model: string;
	caller: CallerFacts;
	usage: Usage | undefined;
	firstToken(): void;
	done(error?: unknown): void;
}

/** Starts the record of one request; `done` writes it, once. */
export function recordRequest(
	context: Context<AppEnv>,
	backend: Backend,
	model: string,
	caller: CallerFacts = {},
): RequestRecord {
	const started = performance.now();
	let firstTokenMs: number | undefined;
	let written = false;
	const record: RequestRecord = {
		model,
		caller,
		usage: undefined,
		firstToken: () => {
			firstTokenMs ??= performance.now() - started;
		},
		done: (error) => {
			if (written) return;
			written = true;
			const known = error === undefined ? undefined : httpError(error);
			backend.usage.add({
				requestId: context.get('requestId'),
				route: context.req.path,
				model: record.model.slice(0, 128),
				status: known?.kind.httpStatus ?? 200,
				ms: performance.now() - started,
				caller: { ...record.caller, ...signedIn(context) },
				...defined({ firstTokenMs, usage: record.usage }),
				...(known === undefined ? {} : { code: known.code }),
			});
		},
	};
	return record;
}

function signedIn(context: Context<AppEnv>): Pick<CallerFacts, 'person'> {
	const person = personOf(context);
	return person === localPerson || person === anonymousPerson ? {} : { person };
}

/** Runs the work of a request and writes its record whatever happens. */
export async function withMetrics<T>(record: RequestRecord, work: () => Promise<T>): Promise<T> {
	try {
		const value = await work();
		record.done();
		return value;
	} catch (error) {
		record.done(error);
		throw error;
	}
}
