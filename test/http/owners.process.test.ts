/** Every door to a model says whose a request is; no client can say it for somebody else. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Hono } from 'hono';
import { registerChatRoutes } from '../../server/http/chatRoutes.ts';
import { registerCompletionRoutes } from '../../server/http/completionRoutes.ts';
import { registerDocumentRoutes } from '../../server/http/documentRoutes.ts';
import { registerEmbeddingRoutes } from '../../server/http/embeddingRoutes.ts';
import type { AppEnv } from '../../server/http/env.ts';
import { errorResponse, httpError } from '../../server/http/httpErrors.ts';
import { registerMessagesRoutes } from '../../server/http/messagesRoutes.ts';
import { registerOllamaGenerationRoutes } from '../../server/http/ollama/ollamaGenerationRoutes.ts';
import { registerRerankRoutes } from '../../server/http/rerankRoutes.ts';
import { registerResponsesRoutes } from '../../server/http/responsesRoutes.ts';
import { registerLibreTranslateRoutes } from '../../server/http/translate/libreTranslateRoutes.ts';
import { registerTranslateRoutes } from '../../server/http/translate/translateRoutes.ts';
import { AppError } from '../../server/protocol/index.ts';
import { latestVersion } from '../../server/protocol/routes/translatorApi.ts';
import { ResponsesService } from '../../server/services/responses/responsesService.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

let server: TestServer;
let app: Hono<AppEnv>;
/** Whose requests reached the services. */
let owners: (string | undefined)[] = [];

before(async () => {
	server = await startTestServer({ fakeRunner: true });
	const taken = async (request: { readonly owner: string | undefined }): Promise<never> => {
		owners.push(request.owner);
		throw new AppError('overloaded');
	};
	const chat = { ...server.backend.chat, run: taken };
	const backend = {
		...server.backend,
		chat,
		responses: new ResponsesService({
			...{ chat, store: server.backend.answers, keeps: true },
			...{ activity: server.backend.activity, log: server.backend.log },
			...{ randomId: () => 'id', now: () => 0 },
		}),
		completions: { run: taken },
		embeddings: { ...server.backend.embeddings, run: taken },
		reranking: { ...server.backend.reranking, run: taken },
		translation: {
			...server.backend.translation,
			translate: taken,
			newRun: () => ({ check: async () => {}, translate: taken }),
		},
	};
	app = new Hono<AppEnv>();
	app.onError((error) => errorResponse(httpError(error)));
	app.use(async (context, next) => {
		context.set('caller', 'member');
		context.set('person', context.req.header('x-test-person') ?? 'anonymous');
		context.set('keyRequired', false);
		context.set('ownKey', () => false);
		context.set('requestId', 'one');
		context.set('signal', new AbortController().signal);
		await next();
	});
	registerChatRoutes(app, backend);
	registerCompletionRoutes(app, backend);
	registerResponsesRoutes(app, backend);
	registerMessagesRoutes(app, backend);
	registerEmbeddingRoutes(app, backend);
	registerRerankRoutes(app, backend);
	registerOllamaGenerationRoutes(app, backend);
	registerTranslateRoutes(app, backend);
	registerLibreTranslateRoutes(app, backend);
	registerDocumentRoutes(app, backend);
});
after(() => server.close());

const more = { owner: 'mallory', person: 'mallory', user: 'mallory' };
const chat = { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...more };
const doors: readonly (readonly [path: string, body: unknown])[] = [
	['/v1/chat/completions', chat],
	['/v1/chat/completions', { ...chat, stream: true }],
	['/v1/completions', { model: 'm', prompt: 'hi', ...more }],
	['/v1/completions', { model: 'm', prompt: 'hi', stream: true, ...more }],
	['/v1/responses', { model: 'm', input: 'hi', ...more }],
	['/v1/responses', { model: 'm', input: 'hi', stream: true, ...more }],
	['/v1/messages', { ...chat, max_tokens: 5 }],
	['/v1/messages', { ...chat, max_tokens: 5, stream: true }],
	['/v1/embeddings', { model: 'm', input: 'hi', ...more }],
	['/v1/rerank', { model: 'm', query: 'hi', documents: ['ho'], ...more }],
	['/api/chat', chat],
	['/api/generate', { model: 'm', prompt: 'hi', ...more }],
	['/api/generate', { model: 'm', prompt: 'hi', raw: true, stream: false, ...more }],
	['/api/embed', { model: 'm', input: 'hi', ...more }],
	['/translate?api-version=3.0&from=en&to=de', [{ Text: 'hi', ...more }]],
	[
		`/translate?api-version=${latestVersion}`,
		{ inputs: [{ text: 'hi', language: 'en', targets: [{ language: 'de' }], ...more }] },
	],
	['/libretranslate/translate', { q: 'hi', source: 'en', target: 'de', ...more }],
	['/documents/translate', { fileName: 'a.txt', text: 'Good morning.', from: 'en', to: 'de' }],
];

for (const [path, body] of doors)
	test(`${path.split('?')[0]} asks as the person who called: ${JSON.stringify(body).slice(0, 60)}`, async () => {
		const asked = async (person: string): Promise<unknown> => {
			owners = [];
			const headers = { 'content-type': 'application/json', 'x-test-person': person };
			const response = await app.request(path, {
				method: 'POST',
				body: JSON.stringify(body),
				headers,
			});
			await response.text();
			assert.equal(owners.length, 1, `${response.status}`);
			return owners[0];
		};
		assert.equal(await asked('person:aa'), 'person:aa');
		assert.equal(await asked('person:bb'), 'person:bb');
		assert.equal(await asked('local'), 'local');
		assert.equal(await asked('anonymous'), undefined, 'who cannot be told apart shares nothing');
	});

test('members can neither make, list, read, use nor delete what is kept on the server', async () => {
	const member = { ...server.keyed, ...server.member() };
	const kept: readonly (readonly [method: string, path: string])[] = [
		['POST', '/nearglot/recorder'],
		['POST', '/recorder/claim'],
		['POST', '/recorder/audio?rate=16000&from=0'],
		['POST', '/recorder/state'],
		['GET', '/recorder/events'],
		['POST', '/nearglot/models/register'],
		['POST', '/nearglot/models/unregister'],
		['POST', '/nearglot/models/import'],
		['POST', '/nearglot/models/remove'],
		['GET', '/nearglot/models/list'],
		['POST', '/nearglot/secrets/set'],
		['GET', '/nearglot/secrets/names'],
		['POST', '/mcp'],
		['GET', '/metrics'],
		['GET', '/nearglot/responses'],
		['DELETE', '/nearglot/responses'],
	];
	for (const [method, path] of kept) {
		const response = await fetch(new URL(path, server.url), { method, headers: member });
		assert.equal(response.status, 403, `${method} ${path}`);
	}
	// Of completions and documents nothing is kept; of responses, files and batches those of the same person.
	const absent: readonly (readonly [method: string, path: string])[] = [
		['GET', '/v1/responses/resp_1'],
		['DELETE', '/v1/responses/resp_1'],
		['GET', '/v1/chat/completions'],
		['GET', '/v1/files/file-1'],
		['DELETE', '/v1/files/file-1'],
		['GET', '/v1/files/file-1/content'],
		['GET', '/v1/batches/batch_1'],
		['POST', '/v1/batches/batch_1/cancel'],
		['POST', '/v1/batches/batch_1/retry'],
		['GET', '/documents'],
		['GET', '/documents/1'],
		[
			'GET',
			'/translator/document/batches/00000000-0000-4000-8000-000000000000?api-version=2024-05-01',
		],
		['GET', '/slots'],
	];
	for (const [method, path] of absent) {
		const response = await fetch(new URL(path, server.url), { method, headers: member });
		assert.ok([404, 405].includes(response.status), `${method} ${path}: ${response.status}`);
	}
	for (const field of [{ previous_response_id: 'resp_1' }, { conversation: 'conv_1' }]) {
		const body = { model: 'm', input: 'hi', ...field };
		const response = await server.post('/v1/responses', body, { headers: member });
		assert.equal(response.status, 404, JSON.stringify(field));
	}
});
