/** What the server says of itself: `/health`, `/ready`, `/openai/status`, `/status`, and ending it. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { proofOf } from '../daemon/daemonProof.ts';
import { programState } from '../daemon/machine.ts';
import {
	health,
	notices,
	proof,
	ready,
	runners,
	serverStatus,
	serviceStatus,
	shutdown,
} from '../protocol/routes/status.ts';
import type { AppEnv } from './env.ts';
import { answerJson } from './jsonAnswer.ts';
import { register } from './register.ts';

export function registerStatusRoutes(app: Hono<AppEnv>, backend: Backend): void {
	register(app, health, ({ context, answer }) =>
		answer({
			status: 'ok' as const,
			// Who runs here is told only to those who know the key.
			...(context.get('caller') === 'owner'
				? {
						pid: process.pid,
						version: backend.settings.version,
						idle: backend.activity.idle(1),
						persistent: backend.settings.persistent,
						ending: backend.ending.begun,
						replaced: programState() !== 'there',
					}
				: {}),
		}),
	);

	register(app, proof, ({ query, answer }) =>
		answer({ proof: proofOf(backend.settings.proofSecret, 'server', query.challenge) }),
	);

	// Liveness is another question: a server that ends is to be left alone, not to be started anew.
	register(app, ready, ({ context }) =>
		backend.ending.isReady()
			? answerJson(context, { status: 'ready' })
			: answerJson(context, { status: 'ending' }, 503),
	);

	register(app, serviceStatus, ({ context, answer }) => {
		const endpoints = [new URL(context.req.url).origin];
		const { pipePath } = backend.settings;
		const modelsDir = backend.modelsDir();
		// Clients of the older service read camelCase, its documentation says PascalCase.
		return answer({
			Endpoints: endpoints,
			ModelDirPath: modelsDir,
			PipeName: pipePath,
			endpoints,
			modelDirPath: modelsDir,
			pipeName: pipePath,
			version: backend.settings.version,
			pid: process.pid,
		});
	});

	register(app, serverStatus, ({ context, answer }) =>
		answer({
			modelCachePath: backend.modelsDir(),
			endpoints: [new URL(context.req.url).origin],
			pid: process.pid,
		}),
	);

	register(app, runners, ({ answer }) => answer({ runners: backend.host.runners() }));

	register(app, notices, ({ query, answer }) =>
		answer({ notices: backend.notices.take(query.reader ?? 'terminal') }),
	);

	register(app, shutdown, ({ query, answer }) => {
		const onlyIdle = query.if === 'idle';
		const ends = !onlyIdle || backend.activity.idle(1);
		if (ends) setTimeout(() => backend.stop('asked to over HTTP'), 20);
		return answer({ stopping: ends });
	});
}
