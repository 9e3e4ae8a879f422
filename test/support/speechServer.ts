/** The speech routes on a free port, with the tone model behind them. */

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { decodeInThread } from '../../server/audio/threadedDecode.ts';
import { EnergyActivity } from '../../server/audio/voiceActivity.ts';
import type { Backend } from '../../server/daemon/backend.ts';
import type { AppEnv } from '../../server/http/env.ts';
import { guard } from '../../server/http/guard.ts';
import { errorResponse, httpError } from '../../server/http/httpErrors.ts';
import { registerRealtimeRoutes } from '../../server/http/realtimeRoutes.ts';
import { registerRecorderRoutes } from '../../server/http/recorderRoutes.ts';
import { requestSignal } from '../../server/http/signal.ts';
import { registerSpeechRoutes } from '../../server/http/speechRoutes.ts';
import { takeUpgrades } from '../../server/http/upgrade.ts';
import {
	type RealtimeLimits,
	realtimeLimits,
} from '../../server/services/speech/realtime/realtimeLimits.ts';
import { RecorderSessions } from '../../server/services/speech/recorderSessions.ts';
import {
	createSpeechService,
	type SpeechDeps,
	type SpeechLimits,
} from '../../server/services/speech/speechService.ts';
import { type ToneModel, toneHost, toneModel } from './toneModel.ts';

export interface SpeechServer {
	readonly url: string;
	readonly model: ToneModel;
	/** Rows of the usage log. */
	readonly used: readonly object[];
	/** Tells the open sockets that the server ends. */
	end(reason: Error): void;
	close(): Promise<void>;
}

export interface SpeechServerOptions extends Partial<SpeechLimits> {
	readonly requireKey?: boolean;
	readonly graceMs?: number;
	/** Decodes; a thread of its own for every recording when absent. */
	readonly decode?: SpeechDeps['decode'];
	readonly checkRoom?: SpeechDeps['checkRoom'];
	readonly realtime?: Partial<RealtimeLimits>;
}

/** Its key is `key-of-the-test-server`. */
export async function startSpeechServer({
	requireKey = false,
	graceMs = 300,
	checkRoom = () => {},
	realtime = {},
	decode = (path, maximumS, signal) =>
		decodeInThread(path, { maximumS, scratch: tmpdir() }, signal),
	...limits
}: SpeechServerOptions = {}): Promise<SpeechServer> {
	const model = toneModel();
	const speech = createSpeechService({
		host: toneHost(model),
		limits: { maximumBytes: 200 * 1_048_576, maximumS: 14_400, ...limits },
		checkRoom,
		decode,
		activity: () => new EnergyActivity(),
		randomSeed: () => 7,
	});
	const app = new Hono<AppEnv>();
	app.onError((error) => errorResponse(httpError(error)));
	app.use(async (context, next) => {
		context.set('requestId', 'test');
		context.set('signal', requestSignal(context, new AbortController().signal));
		await next();
	});
	const server = createAdaptorServer({ fetch: app.fetch });
	app.use(
		guard({
			key: 'key-of-the-test-server',
			requireKey,
			allowedOrigins: [],
			allowedHosts: [],
			port: () => (server.address() as AddressInfo | null)?.port,
		}),
	);
	const used: object[] = [];
	let secrets = 0;
	const recordings = new RecorderSessions({
		scratch: tmpdir(),
		speech,
		graceMs,
		randomId: () => `recording-${++secrets}`,
		randomSecret: () => `secret-${++secrets}`,
	});
	const settings = { dataDir: tmpdir() };
	const usage = { add: (row: object) => void used.push(row) };
	const backend = {
		...{ settings, speech, recordings, usage },
		realtimeLimits: { ...realtimeLimits(speech.limits.maximumS), ...realtime },
	} as unknown as Backend;
	registerRealtimeRoutes(app, backend);
	const ending = new AbortController();
	takeUpgrades(server as Server, app.fetch, { over: ending.signal });
	registerSpeechRoutes(app, backend);
	registerRecorderRoutes(app, backend);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		model,
		used,
		end: (reason) => ending.abort(reason),
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				if ('closeAllConnections' in server) server.closeAllConnections();
			}),
	};
}
