/** Microphone recordings under way: who may bring sound to which, and where their events go. */

import { defined } from '../../protocol/defined.ts';
import { AppError, type RecorderRequest } from '../../protocol/index.ts';
import type { Account } from '../limits/account.ts';
import { RecorderSession, type RecorderSessionDeps } from './recorderSession.ts';
import { type SpeechCall, speechCall } from './speechRequest.ts';

export interface RecorderSessionsDeps extends Omit<RecorderSessionDeps, 'call'> {
	/** A secret nobody can guess; characters that need no escape in an address. */
	readonly randomSecret: () => string;
}

/** A link that nobody opened is worthless after this. */
const ticketMs = 600_000;
/** Microphones in use at the same time; more is a mistake. */
const maxAtOnce = 8;

/** The registry of a daemon. */
export class RecorderSessions {
	readonly #deps: RecorderSessionsDeps;
	/** Token → recording. */
	readonly #byToken = new Map<string, RecorderSession>();
	/** One-time ticket → its recording's token. */
	readonly #tickets = new Map<string, string>();

	constructor(deps: RecorderSessionsDeps) {
		this.#deps = deps;
	}

	/**
	 * Makes a recording ready. Throws `invalid_request` or `model_not_found` before anybody is asked to
	 * speak. The caller runs it and calls {@link forget} at the end.
	 */
	async open(request: RecorderRequest, account?: Account): Promise<RecorderSession> {
		const call = { ...callOf(request), account };
		await this.#deps.speech.model(call.model);
		if (this.#byToken.size >= maxAtOnce) {
			throw new AppError(
				'overloaded',
				`There are ${maxAtOnce} recordings open already. Finish one first.`,
			);
		}
		const recording = await RecorderSession.open({ ...this.#deps, call });
		const token = this.#deps.randomSecret();
		this.#byToken.set(token, recording);
		return recording;
	}

	/** The secrets of a recording: `token` brings sound, `ticket` is exchanged for it once. */
	admit(recording: RecorderSession): { readonly token: string; readonly ticket: string } {
		const [token] = [...this.#byToken].find(([, each]) => each === recording) ?? [];
		if (token === undefined) throw gone();
		const ticket = this.#deps.randomSecret();
		this.#tickets.set(ticket, token);
		setTimeout(() => this.#expire(ticket, recording), ticketMs).unref();
		return { token, ticket };
	}

	/** Exchanges a ticket, once. Throws `forbidden` for one that was used or never given. */
	claim(ticket: string): { readonly token: string; readonly recording: RecorderSession } {
		const token = this.#tickets.get(ticket);
		const recording = token === undefined ? undefined : this.#byToken.get(token);
		this.#tickets.delete(ticket);
		if (token !== undefined && recording !== undefined) return { token, recording };
		throw new AppError(
			'forbidden',
			'This link was used already, or its recording has ended. Start a new recording in the editor.',
		);
	}

	/** Throws `forbidden` for tokens of no recording, or of one that has ended. */
	find(token: string): RecorderSession {
		const recording = this.#byToken.get(token);
		if (recording !== undefined) return recording;
		throw gone();
	}

	async forget(recording: RecorderSession): Promise<void> {
		for (const [token, each] of this.#byToken) {
			if (each !== recording) continue;
			this.#byToken.delete(token);
			for (const [ticket, target] of this.#tickets)
				if (target === token) this.#tickets.delete(ticket);
		}
		await recording.close();
	}

	#expire(ticket: string, recording: RecorderSession): void {
		if (!this.#tickets.delete(ticket)) return;
		recording.fail(new AppError('timeout', 'The recorder page was not opened within ten minutes.'));
	}
}

const gone = () =>
	new AppError('forbidden', 'There is no such recording; it has ended, or the token is wrong.');

function callOf({ model, language, prompt, ...request }: RecorderRequest): SpeechCall {
	return speechCall(
		{
			model: model || 'default',
			...defined({ language, prompt: prompt || undefined }),
			response_format: 'verbose_json',
			timestamp_granularities: request.words ? ['segment', 'word'] : ['segment'],
		},
		request.translate ? 'translate' : 'transcribe',
	);
}
