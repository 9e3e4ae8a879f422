/** What the server says of itself: `/health`, `/ready`, `/openai/status`, `/status`, and ending it. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import type { AppEnv } from './env.ts';
import { answerJson } from './jsonAnswer.ts';

export function registerStatusRoutes(app: Hono<AppEnv>, backend: Backend): void {
	app.get('/', (context) =>
		context.text(
			'Nearglot is running.\n\nOpen this address in a browser for the studio page.\nOpenAI interface: /v1 (models at /v1/models)\nTranslation: /translate?api-version=3.0\nDescription: /openapi.json\n',
		),
	);

	app.get('/health', (context) =>
		answerJson(context, {
			status: 'ok',
			// Who runs here is told only to those who know the key.
			...(context.get('caller') === 'owner'
				? {
						pid: process.pid,
						version: backend.settings.version,
						idle: backend.activity.idle(1),
						onPurpose: backend.settings.onPurpose,
					}
				: {}),
		}),
	);

	// Liveness is another question: a server that ends is to be left alone, not to be started anew.
	app.get('/ready', (context) =>
		backend.ending.isReady()
			? answerJson(context, { status: 'ready' })
			: answerJson(context, { status: 'ending' }, 503),
	);

	app.get('/openai/status', (context) => {
		const endpoints = [new URL(context.req.url).origin];
		const { pipePath } = backend.settings;
		const modelsDir = backend.modelsDir();
		// Clients of the older service read camelCase, its documentation says PascalCase.
		return answerJson(context, {
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

	app.get('/status', (context) =>
		answerJson(context, {
			modelCachePath: backend.modelsDir(),
			endpoints: [new URL(context.req.url).origin],
			pid: process.pid,
		}),
	);

	app.get('/nearglot/runners', (context) =>
		answerJson(context, { runners: backend.host.runners() }),
	);

	app.post('/nearglot/shutdown', (context) => {
		const onlyIdle = context.req.query('if') === 'idle';
		const ends = !onlyIdle || backend.activity.idle(1);
		if (ends) setTimeout(() => backend.stop('asked to over HTTP'), 20);
		return answerJson(context, { stopping: ends });
	});
}
