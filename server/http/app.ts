/**
 * The whole HTTP interface as a function from Request to Response. To add a route family: write
 * `export function registerXRoutes(app: Hono<AppEnv>, backend: Backend): void` in `xRoutes.ts`, which joins the
 * family's route objects (protocol/routes) with their handlers (register.ts), and
 * add one line to `families`. Errors are thrown as AppError; nothing else answers with a status.
 */

import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import { onClose } from '../net/onClose.ts';
import { defined } from '../protocol/defined.ts';
import { AppError } from '../protocol/index.ts';
import { errorShapeOf } from '../protocol/routes/errorShapes.ts';
import { inRequest } from '../services/observe/chatOrigin.ts';
import { countOverloads } from '../services/overloads.ts';
import { registerAdminModelRoutes } from './adminModelRoutes.ts';
import { itemRunner, missingKey } from './batchItems.ts';
import { registerBatchRoutes } from './batchRoutes.ts';
import { type CallerRole, isStep, mayUse } from './callerRoles.ts';
import { registerChatRoutes } from './chatRoutes.ts';
import { registerCompletionRoutes } from './completionRoutes.ts';
import { registerConversationRoutes } from './conversationRoutes.ts';
import { registerDocumentRoutes } from './documentRoutes.ts';
import { resultFields } from './downloadStream.ts';
import { registerEmbeddingRoutes } from './embeddingRoutes.ts';
import type { AppEnv } from './env.ts';
import { registerFileRoutes } from './fileRoutes.ts';
import { registerFoundryRoutes } from './foundryRoutes.ts';
import { type GuardOptions, guard } from './guard.ts';
import { errorResponse, httpError } from './httpErrors.ts';
import { nameLimits } from './limitHeaders.ts';
import { registerMcpRoutes } from './mcpRoutes.ts';
import { registerMessagesRoutes } from './messagesRoutes.ts';
import { registerMetricsRoutes } from './metricsRoutes.ts';
import { registerModelListRoutes } from './modelListRoutes.ts';
import { registerOllamaGenerationRoutes } from './ollama/ollamaGenerationRoutes.ts';
import { registerOllamaModelRoutes } from './ollama/ollamaModelRoutes.ts';
import { registerOpenApi } from './openapi.ts';
import { registerPeopleRoutes } from './peopleRoutes.ts';
import { isAwaited } from './priority.ts';
import { registerRealtimeRoutes } from './realtimeRoutes.ts';
import { registerRecordedRoutes } from './recordedRoutes.ts';
import { registerRecorderRoutes } from './recorderRoutes.ts';
import { personOf } from './requestPerson.ts';
import { registerRerankRoutes } from './rerankRoutes.ts';
import { registerResponsesRoutes } from './responsesRoutes.ts';
import { abortReasonOf, requestSignal } from './signal.ts';
import { registerSpeechRoutes } from './speechRoutes.ts';
import { registerStatusRoutes } from './statusRoutes.ts';
import { registerStudioRoutes } from './studioRoutes.ts';
import { registerTokenRoutes } from './tokenRoutes.ts';
import { registerDocumentBatchRoutes } from './translate/documentBatchRoutes.ts';
import { registerDocumentTranslatorRoutes } from './translate/documentTranslatorRoutes.ts';
import { registerLibreTranslateRoutes } from './translate/libreTranslateRoutes.ts';
import { translateRefusal } from './translate/translateRefusal.ts';
import { registerTranslateRoutes } from './translate/translateRoutes.ts';
import { registerUpstreamRoutes } from './upstreamRoutes.ts';
import { answerFor } from './withoutPaths.ts';

/** Every family of routes, in the order of their registration. */
const families: readonly ((app: Hono<AppEnv>, backend: Backend) => void)[] = [
	registerStudioRoutes,
	registerStatusRoutes,
	registerModelListRoutes,
	registerUpstreamRoutes,
	registerChatRoutes,
	registerCompletionRoutes,
	registerEmbeddingRoutes,
	registerRerankRoutes,
	registerResponsesRoutes,
	registerConversationRoutes,
	registerFileRoutes,
	registerBatchRoutes,
	registerMessagesRoutes,
	registerTokenRoutes,
	registerMetricsRoutes,
	registerRecordedRoutes,
	registerOllamaGenerationRoutes,
	registerOllamaModelRoutes,
	registerOpenApi,
	registerSpeechRoutes,
	registerRealtimeRoutes,
	registerRecorderRoutes,
	registerFoundryRoutes,
	registerAdminModelRoutes,
	registerPeopleRoutes,
	registerMcpRoutes,
	registerTranslateRoutes,
	registerLibreTranslateRoutes,
	registerDocumentRoutes,
	registerDocumentTranslatorRoutes,
	registerDocumentBatchRoutes,
];

export interface AppOptions extends GuardOptions {
	/** Time over which the pace of a body is judged. */
	readonly bodyWindowMs?: number;
}

export function createApp(backend: Backend, options: AppOptions): Hono<AppEnv> {
	const app = new Hono<AppEnv>();
	const overloads = countOverloads(backend.log, backend.metrics);
	app.onError((error, context) => {
		const { method, path } = context.req;
		const known =
			abortReasonOf(context.get('signal')) ?? httpError(error, `answering ${method} ${path}`);
		if (!(error instanceof AppError) && known.code !== 'cancelled')
			backend.log.error('request failed', {
				path,
				reason: known.message,
				stack: error.stack,
				requestId: context.get('requestId'),
			});
		return refusal(context, known);
	});
	app.use(async (context, next) => {
		context.set('requestId', randomUUID());
		context.set('signal', requestSignal(context, backend.ending.over, options.bodyWindowMs));
		await next();
		nameLimits(context);
		overloads.count(context.error ?? context.get('failure'), context.req.path);
		const { requestHeader } = errorShapeOf(context.req.path);
		context.header(requestHeader, context.get('requestId'));
	});
	app.use(async (context, next) => {
		await next();
		const answer = await answerFor(context.get('caller'), context.res, context.req.path);
		if (answer === context.res) return;
		// Setting an answer over another one would join their headers.
		context.res = undefined;
		context.res = answer;
	});
	app.use(
		guard(options, (token) => backend.studio.admits(token), {
			findKey: (text) => backend.people.keys.find(text),
			accountOf: (identity) => backend.people.accountOf(identity),
		}),
	);
	app.use(async (context, next) => {
		// What comes from within goes on for as long as there is its key, whatever its secret: items of batches. Calls of
		// MCP end with the request that made them.
		const isWithin = context.env?.identity !== undefined;
		const held =
			context.get('caller') === 'member'
				? backend.people.live.hold(personOf(context), context.get('personKey'), isWithin)
				: undefined;
		if (held !== undefined)
			context.set('signal', AbortSignal.any([context.get('signal'), held.signal]));
		const ended = () => {
			held?.release();
			backend.activity.end();
			for (const watch of backend.watches) watch.end();
		};
		backend.activity.begin();
		for (const watch of backend.watches) watch.begin();
		// A streamed answer goes on after its handler returned.
		const outgoing = context.env?.outgoing ?? context.env?.upgrade?.socket;
		if (outgoing) onClose(outgoing, ended);
		// The items of a batch come from within.
		if (outgoing && isAwaited(context)) backend.host.expect();
		const traceparent = context.req.header('traceparent');
		const tracestate = context.req.header('tracestate');
		const request = {
			...{ requestId: context.get('requestId'), route: context.req.path },
			...defined({ traceparent, tracestate }),
		};
		try {
			await inRequest(request, next);
		} finally {
			if (!outgoing) ended();
		}
	});
	for (const register of families) register(app, backend);
	backend.jobs.start(itemRunner(app, backend), (owner) => missingKey(owner, backend));
	app.notFound((context) => {
		const { method, path } = context.req;
		const methods = methodsAt(app, path, context.get('caller'));
		if (methods === '')
			return refusal(context, new AppError('not_found', `There is no route ${method} ${path}.`));
		const error = new AppError('method_not_allowed', `${path} takes ${methods}, not ${method}.`);
		const answer = refusal(context, error);
		answer.headers.set('allow', methods);
		return answer;
	});
	return app;
}

/** The methods that a caller may use at a path, as a header lists them. */
function methodsAt(app: Hono<AppEnv>, path: string, caller: CallerRole | undefined): string {
	const takes = (method: string): boolean => {
		const [matched] = app.router.match(method, path);
		const routes = matched.map(([[, route]]) => route).filter((route) => !isStep(route));
		return routes.length > 0 && caller !== undefined && mayUse(caller, routes);
	};
	return ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(takes).join(', ');
}

/** Clients of the model service read a download's failure in fields of its own, whatever refused it. */
function refusal(context: Context<AppEnv>, error: AppError): Response {
	const { path } = context.req;
	const translate = translateRefusal(context, error, new Date());
	if (translate !== undefined) return translate;
	return errorResponse(error, path, path === '/openai/download' ? resultFields(error.message) : {});
}
