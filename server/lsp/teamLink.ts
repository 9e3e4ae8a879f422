/** The front's way to a team server: same routes, another origin, the session token of the user. */

import { isRecord } from '../protocol/errorBody.ts';
import { AppError, type ModelInfo } from '../protocol/index.ts';
import { type Caller, jsonInit } from './daemonLink.ts';
import { errorOfResponse } from './responseError.ts';

/** What the ids of a team's models begin with in lists and settings. */
export const teamPrefix = 'team:';

export interface Team {
	readonly origin: string;
	readonly token: string;
}

/** One per front; without a team every call says so. */
export class TeamLink implements Caller {
	team: Team | undefined;

	async call(path: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
		const { team } = this;
		if (!team) {
			throw new AppError(
				'invalid_api_key',
				'You are not signed in to a team server. Run “Nearglot: Sign In to Team Server”.',
			);
		}
		const headers = new Headers(init.headers);
		headers.set('x-zumo-auth', team.token);
		let response: Response;
		try {
			// A redirect would carry the token to another origin.
			response = await fetch(team.origin + path, { ...init, headers, signal, redirect: 'error' });
		} catch (error) {
			if (signal.aborted) throw new AppError('cancelled', undefined, { cause: error });
			throw new AppError(
				'upstream_failed',
				`The team server ${new URL(team.origin).host} cannot be reached. Choose a model of this computer meanwhile.`,
				{ cause: error },
			);
		}
		if (!response.ok) throw await errorOfResponse(response);
		return response;
	}

	async json(path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
		return (await this.call(path, jsonInit(body), signal)).json();
	}

	/** The team's models, marked as such; none when there is no team or it cannot be reached. */
	async models(signal: AbortSignal): Promise<ModelInfo[]> {
		if (!this.team) return [];
		const host = new URL(this.team.origin).host;
		let body: unknown;
		try {
			body = await this.json('/v1/models', undefined, signal);
		} catch (error) {
			if (signal.aborted) throw error;
			return [];
		}
		const rows = isRecord(body) && Array.isArray(body['data']) ? body['data'] : [];
		return rows.filter(isRecord).flatMap((row): ModelInfo[] => {
			const { id, name, task, context_length: contextLength } = row;
			if (typeof id !== 'string') return [];
			const label = typeof name === 'string' ? name : id;
			return [
				{
					id: teamPrefix + id,
					name: id,
					version: '',
					alias: id,
					displayName: `${label} · ${host}`,
					task: (typeof task === 'string' ? task : 'chat-completion') as ModelInfo['task'],
					state: 'loaded',
					origin: 'team',
					publisher: host,
					license: '',
					supportsToolCalling: row['supports_tool_calling'] === true,
					...(typeof contextLength === 'number' ? { contextLength } : {}),
				},
			];
		});
	}
}
