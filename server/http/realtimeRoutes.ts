/** `GET /v1/realtime`: a WebSocket on which sound becomes text while it is spoken. */

import { randomBytes } from 'node:crypto';
import type { Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { AppError } from '../protocol/index.ts';
import { realtime } from '../protocol/routes/realtime.ts';
import { RealtimeSession } from '../services/speech/realtime/realtimeSession.ts';
import { scratchIn } from '../store/scratch.ts';
import type { AppEnv } from './env.ts';
import { owned } from './owner.ts';
import { eventSender, serveRealtime } from './realtimeSocket.ts';
import { register } from './register.ts';
import { recordRequest } from './requestMetrics.ts';
import { localPerson, personOf } from './requestPerson.ts';
import { errorFor } from './withoutPaths.ts';

/** 15 MiB of sound in base64, and room for the rest of the event. */
const maxMessageBytes = 20 * 1024 * 1024 + 64 * 1024;
const retryAfterS = 5;

export function registerRealtimeRoutes(app: Hono<AppEnv>, backend: Backend): void {
	let open = 0;
	const ofPerson = new Map<string, number>();
	const { realtimeLimits: limits, speech } = backend;
	register(app, realtime, async ({ context, query, signal }) => {
		const { upgrade } = context.env;
		if (upgrade === undefined)
			throw new AppError(
				'invalid_request',
				'This is a WebSocket: connect with ws:// (or wss:// where a proxy has a certificate).',
			);
		refuseKeysInAddress(context);
		const model = query.model ?? query.deployment;
		await speech.model(model ?? 'default');
		if (open >= limits.maxSessions)
			throw new AppError(
				'overloaded',
				`There are ${limits.maxSessions} live sessions open already. Close one, or try again later.`,
				{ retryAfterS },
			);
		const person = personOf(context);
		const own = ofPerson.get(person) ?? 0;
		if (person !== localPerson && own >= limits.maxOfPerson)
			throw new AppError(
				'overloaded',
				`You have ${own} live sessions open, as many as one person may. Close one, or try again later.`,
				{ retryAfterS },
			);
		open++;
		ofPerson.set(person, own + 1);
		const leave = () => {
			open--;
			const left = (ofPerson.get(person) ?? 1) - 1;
			if (left > 0) ofPerson.set(person, left);
			else ofPerson.delete(person);
		};
		try {
			const socket = await upgrade.accept(maxMessageBytes);
			const session = new RealtimeSession(
				{
					speech,
					scratch: scratchIn(backend.settings.dataDir),
					randomId: () => randomBytes(10).toString('hex'),
					send: eventSender(socket, limits),
					record: (name) => recordRequest(context, backend, name),
					shownError: (error) => errorFor(context.get('caller'), error),
					expiresAt: Math.floor((performance.timeOrigin + performance.now() + limits.maxMs) / 1000),
					owned: owned(context, {}),
				},
				isBeta(context) ? 'beta' : 'ga',
				model,
			);
			session.begin();
			void serveRealtime(socket, session, limits, signal)
				.catch((error: unknown) =>
					backend.log.error('live session failed', { reason: String(error) }),
				)
				.finally(leave);
		} catch (error) {
			leave();
			throw error;
		}
		return new Response(null, { status: 204 });
	});
}

/** Addresses are written into logs on their way. */
function refuseKeysInAddress({ req }: Context<AppEnv>): void {
	const found = ['api-key', 'api_key', 'key', 'authorization', 'Authorization'].find(
		(name) => req.query(name) !== undefined,
	);
	if (found !== undefined)
		throw new AppError(
			'invalid_request',
			`A key does not belong into an address ('${found}'). Send it as a header, or as the subprotocol openai-insecure-api-key.KEY.`,
			{ param: found },
		);
}

function isBeta({ req }: Context<AppEnv>): boolean {
	const offered = (req.header('sec-websocket-protocol') ?? '')
		.split(',')
		.map((name) => name.trim());
	return (
		offered.includes('openai-beta.realtime-v1') ||
		/\brealtime=v1\b/.test(req.header('openai-beta') ?? '')
	);
}
