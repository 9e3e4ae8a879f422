/** The language server's connection to a team server: same routes, another origin, the session token of the user. */

import { retryOnce } from '../net/closedUnanswered.ts';
import { defined } from '../protocol/defined.ts';
import { errorOfResponse } from '../protocol/errorBody.ts';
import {
	AppError,
	asAppError,
	type EndReason,
	localisedError,
	type ModelInfo,
	type ModelState,
	signInRequired,
	streamCut,
	type TeamAccess,
	type TeamRenewal,
	type TeamStatus,
	teamPrefix,
	teamStrings,
	teamUnreachable,
	teamWentAway,
	translatableError,
} from '../protocol/index.ts';
import { defaultOverloadRetry, retryWhenOverloaded } from '../protocol/retryWhenOverloaded.ts';
import { listModels } from '../protocol/routeAddresses.ts';
import { Client } from '../protocol/routeClient.ts';
import type { AnswerOf } from '../protocol/routes/route.ts';
import { notify } from '../store/notices.ts';
import { localise } from './texts.ts';

/** Gets a token in place of one that was refused, or that was not handed over yet. */
export type RenewToken = (refused: TeamRenewal) => Promise<RenewedAccess | undefined>;

export type RenewedAccess = TeamAccess & { readonly reason?: EndReason };

/** Models in these states can answer without a download. */
const usable: ReadonlySet<ModelState> = new Set(['loaded', 'loading', 'cached']);

/** One per language server; without a team every call says so. */
export class TeamLink {
	/** What arrived of a stream that stopped is the asker's; the rest has to be asked for again. */
	readonly client = new Client(
		(path, init) => this.#request(path, init),
		(work, cause) => (this.team ? teamWentAway(this.team.origin, cause) : streamCut(work, cause)),
	);
	readonly #renew: RenewToken;
	readonly #listTimeoutMs: number;
	team: TeamAccess | undefined;
	#reason: EndReason | undefined;

	/** @param listTimeoutMs Longest wait for the list of models, which the models here wait for. */
	constructor(renew: RenewToken = async () => undefined, listTimeoutMs = 8000) {
		this.#renew = renew;
		this.#listTimeoutMs = listTimeoutMs;
	}

	#request(path: string, init: RequestInit): Promise<Response> {
		return retryWhenOverloaded(() => this.#once(path, init), init, {
			...defaultOverloadRetry,
			notify,
		});
	}

	async #once(path: string, init: RequestInit): Promise<Response> {
		const team = await this.#known();
		if (!team) {
			throw translatableError('sign_in_required', teamStrings.noTeam, [], {
				data: { team: 'sign-in' },
			});
		}
		const { origin } = team;
		let token = team.token ?? (await this.#renewed({ origin, token: '' }))?.token;
		for (let attempt = 0; ; attempt++) {
			if (token === undefined)
				throw signInRequired(origin, this.#reason ?? (attempt > 0 ? 'expired' : undefined));
			const response = await send(origin, path, init, token);
			if (response.ok) return response;
			if (response.status !== 401 || attempt > 0 || !refusedBySignIn(response)) {
				throw await failure(origin, response);
			}
			await response.body?.cancel();
			token = (await this.#renewed({ origin, token }))?.token;
		}
	}

	/** The models that can answer, marked as the team's, and whether the server could be asked. */
	async list(
		signal: AbortSignal,
	): Promise<{ readonly models: ModelInfo[]; readonly status?: TeamStatus }> {
		const { origin } = (await this.#known()) ?? {};
		if (origin === undefined) return { models: [] };
		try {
			const timeout = AbortSignal.timeout(this.#listTimeoutMs);
			const either = AbortSignal.any([signal, timeout]);
			const { data } = await this.client.call(listModels, {}, { signal: either });
			const { host } = new URL(origin);
			const models = data.flatMap((row) => modelOf(row, host));
			return { models, status: { origin, state: 'ready' } };
		} catch (error) {
			if (signal.aborted) throw error;
			const known = asAppError(error);
			const state = known.code === 'sign_in_required' ? 'signed-out' : 'unreachable';
			const why = known.code === 'cancelled' ? teamUnreachable(origin, error) : known;
			const { message } = localisedError(why, localise);
			return { models: [], status: { origin, state, message } };
		}
	}

	/** The team in use; a language server that has just started has not been told yet, so it asks. */
	async #known(): Promise<TeamAccess | undefined> {
		return this.team ?? this.#renewed({ origin: '', token: '' });
	}

	async #renewed(refused: TeamRenewal): Promise<TeamAccess | undefined> {
		const access = await this.#renew(refused).catch((error: AppError) => {
			throw error.code === 'upstream_failed' && refused.origin !== ''
				? teamUnreachable(refused.origin, error)
				: error;
		});
		this.#reason = access?.reason;
		// Another server may have been chosen meanwhile; its token is not for the one that refused.
		if ((this.team?.origin ?? '') === refused.origin) this.team = access ?? this.team;
		return refused.origin === '' || access?.origin === refused.origin ? access : undefined;
	}
}

async function send(
	origin: string,
	path: string,
	init: RequestInit,
	token: string,
): Promise<Response> {
	const headers = new Headers(init.headers);
	headers.set('x-zumo-auth', token);
	if (!headers.has('accept')) headers.set('accept', 'application/json, text/event-stream');
	// A redirect would carry the token to another origin.
	const request = { ...init, headers, redirect: 'error' } as const;
	try {
		// Nothing that is asked of models changes anything.
		return await retryOnce(() => fetch(origin + path, request));
	} catch (error) {
		if (init.signal?.aborted) throw new AppError('cancelled', undefined, { cause: error });
		throw teamUnreachable(origin, error);
	}
}

/** The sign-in layer says so with a problem document; a 401 of the models behind it is another matter. */
function refusedBySignIn(response: Response): boolean {
	return (
		response.headers.has('www-authenticate') ||
		(response.headers.get('content-type') ?? '').includes('problem+json')
	);
}

async function failure(origin: string, response: Response): Promise<AppError> {
	const problem = (response.headers.get('content-type') ?? '').includes('problem+json');
	if (!problem) return errorOfResponse(response);
	if (response.status === 401) return signInRequired(origin, 'expired');
	if (response.status === 502 || response.status === 504) {
		return teamUnreachable(origin, await response.text());
	}
	return errorOfResponse(response);
}

/** Servers of others list less. */
type Listed = Partial<AnswerOf<typeof listModels>['data'][number]>;

function modelOf({ id, name = id, state = 'loaded', ...row }: Listed, host: string): ModelInfo[] {
	// Without a state: what is listed can be asked.
	if (id === undefined || !usable.has(state)) return [];
	return [
		{
			id: teamPrefix + id,
			name: id,
			version: '',
			alias: row.alias ?? id,
			displayName: `${name} · ${host}`,
			task: row.task ?? 'chat-completion',
			state,
			origin: 'team',
			publisher: host,
			license: '',
			supportsToolCalling: row.supports_tool_calling === true,
			...(row.supports_image_input === true ? { supportsImageInput: true } : {}),
			...defined({
				contextLength: row.context_length,
				sizeBytes: row.size_bytes,
				languages: row.languages,
			}),
		},
	];
}
