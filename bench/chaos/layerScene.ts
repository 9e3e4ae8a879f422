/** Two replicas of the sign-in layer with one store: people sign in, renew, sign out and stream while it fails. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeKeyFile } from '../../server/gateway/keys/keyFile.ts';
import { TestApp } from '../../test/gateway/support/app.ts';
import { FakeProvider } from '../../test/gateway/support/fakeProvider.ts';
import { type GatewayProcess, startProcess } from '../../test/gateway/support/gatewayProcess.ts';
import { baseConfig, merge } from '../../test/gateway/support/harness.ts';
import { RedisServer, redisMissing } from '../../test/gateway/support/redisServer.ts';
import { brokenLayerRules } from './layerRules.ts';
import type { LayerStage, StoreKind } from './layerStage.ts';
import { layerSteps } from './layerSteps.ts';
import type { Random, Scene } from './scene.ts';
import { clockOf } from './serverScene.ts';

/** Sends its events with pauses; ends with one that says so. */
export const eventsEach = 10;

export async function layerScene(random: Random, kind: StoreKind): Promise<Scene | string> {
	if (kind === 'redis' && redisMissing) return redisMissing;
	await using stack = new AsyncDisposableStack();
	const folder = mkdtempSync(join(tmpdir(), 'nearglot-chaos-'));
	stack.defer(() => rmSync(folder, { recursive: true, force: true }));
	const systemTmp = join(folder, 'tmp');
	mkdirSync(systemTmp);
	const [app, provider] = [stack.use(new TestApp()), stack.use(new FakeProvider())];
	await app.listen();
	await provider.listen();
	app.handler = (request, response) => {
		if (request.url !== '/events') return void response.end('{}');
		response.writeHead(200, { 'Content-Type': 'text/event-stream' });
		let sent = 0;
		const timer = setInterval(() => {
			if (++sent <= eventsEach) response.write(`data: ${sent}\n\n`);
			else response.end('data: [DONE]\n\n');
			if (sent > eventsEach) clearInterval(timer);
		}, 200);
		response.once('close', () => clearInterval(timer));
	};
	const redis = kind === 'redis' ? stack.use(await RedisServer.start()) : undefined;
	const database = join(folder, 'sessions.db');
	const keysFile = join(folder, 'keys.json');
	writeKeyFile(keysFile, 1);
	const store = redis ? { kind, url: redis.url } : { kind, path: database };
	const config = join(folder, 'auth.json');
	// A replica that was killed in a renewal holds it up for so long.
	const own = { store, keysFile, failuresPerMinute: 100_000, refreshLeaseSeconds: 3 };
	writeFileSync(config, JSON.stringify(merge(baseConfig(provider), { 'x-gateway': own })));
	const clock = join(folder, 'clock');
	const env = { ...clockOf(clock), TMPDIR: systemTmp };
	const startReplica = () => startProcess(config, app.url, ['--drain', '20'], env);
	const replicas: GatewayProcess[] = [];
	stack.defer(async () => {
		for (const replica of replicas) await replica[Symbol.asyncDispose]();
	});
	for (let index = 0; index < 2; index++) replicas.push(await startReplica());
	const stage: LayerStage = {
		...{ kind, random, app, provider, redis, database, clock, systemTmp, replicas, startReplica },
		signedIn: new Set(),
		signedOut: new Set(),
	};
	const owned = stack.move();
	return {
		name: `layer on ${kind === 'redis' ? 'Redis' : 'SQLite'}`,
		steps: layerSteps(stage),
		broken: () => brokenLayerRules(stage),
		[Symbol.asyncDispose]: () => owned.disposeAsync(),
	};
}
