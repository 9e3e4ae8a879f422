/** What holds for every route of the contract, and for its description. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openApi } from '../../../server/http/openapi.ts';
import * as addresses from '../../../server/protocol/routeAddresses.ts';
import { routeName } from '../../../server/protocol/routes/route.ts';
import { routes } from '../../../server/protocol/routes/routes.ts';

const names = new Set(routes.map(routeName));

interface Operation {
	readonly summary?: string;
	readonly requestBody?: {
		readonly content: Readonly<Record<string, { readonly schema: object }>>;
	};
	readonly responses: Readonly<
		Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
	>;
}
const { paths } = openApi(routes, '1') as {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
	Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
);

test('every route stands once in the contract', () => {
	assert.equal(names.size, routes.length);
	assert.ok(routes.length > 90);
});

test('the description has every route, with a summary, its body and its answer', () => {
	assert.equal(
		operations.length,
		routes.reduce((sum, { shown }) => sum + (shown?.length ?? 1), 0),
	);
	for (const [name, { summary, requestBody, responses }] of operations) {
		assert.ok(summary, name);
		for (const { schema } of Object.values(requestBody?.content ?? {}))
			assert.notDeepEqual(schema, {}, name);
		for (const { schema } of Object.values(responses['200']?.content ?? {}))
			assert.notDeepEqual(schema, {}, name);
	}
	// Only what answers with nothing has no content.
	assert.deepEqual(
		operations
			// A WebSocket answers with nothing but its events.
			.filter(([, { responses }]) => !responses['200']?.content && !responses['101'])
			.map(([name]) => name),
		[
			'post /v1/moderations',
			'get /openai/load/{name}',
			'get /openai/unload/{name}',
			'get /openai/unloadall',
			'get /openai/setgpudevice/{id}',
			'delete /api/delete',
			'post /api/copy',
			// These are refused by name.
			'post /api/create',
			'post /api/push',
			'post /api/blobs/{digest}',
			// 202 with the address of the batch.
			'post /translator/document/batches',
			'post /{endpoint}/translator/document/batches',
		],
	);
});

test('every address that programs call is a route of the contract', () => {
	for (const [name, address] of Object.entries(addresses))
		if (typeof address !== 'string')
			assert.ok(names.has(routeName(address)) || names.has(`ALL ${address.path}`), name);
});
