/** The last requests to chat models, which the owner may record and look at. */

import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { listRequests, readRequest, recordRequests } from '../protocol/routes/requests.ts';
import type { AppEnv } from './env.ts';
import { answerJson } from './jsonAnswer.ts';
import { register } from './register.ts';

export function registerRecordedRoutes(
	app: Hono<AppEnv>,
	{ requestLog }: Pick<Backend, 'requestLog'>,
): void {
	const recorded = () => ({ isRecording: requestLog.isOn, requests: requestLog.list() });
	register(app, listRequests, ({ answer }) => answer(recorded()));
	register(app, recordRequests, ({ body, answer }) => {
		requestLog.switch(body.recording);
		return answer(recorded());
	});
	register(app, readRequest, async ({ context, signal }) => {
		context.header('cache-control', 'no-store');
		return answerJson(context, await requestLog.detail(context.req.param('id'), signal));
	});
}
