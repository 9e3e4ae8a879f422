/** deploy/envoy.yaml, which has not run: its fields are those of Envoy's API, and its rules those of the others. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { type ErrorCode, errorKinds } from '../../server/protocol/index.ts';

const read = (name: string) =>
	readFileSync(fileURLToPath(new URL(`../../deploy/${name}`, import.meta.url)), 'utf8');

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Every object and list inside a value, by its place. */
function* within(value: unknown, at = ''): Generator<readonly [string, unknown]> {
	yield [at, value];
	if (!isObject(value)) return;
	for (const [name, inner] of Object.entries(value))
		yield* within(inner, Array.isArray(value) ? `${at}[]` : `${at}.${name}`);
}

/** The one value under a name, wherever it stands. */
function theOne(file: unknown, name: string): unknown {
	const found = [...within(file)].filter(([at]) => at.endsWith(`.${name}`));
	assert.equal(found.length, 1, name);
	return found[0]?.[1];
}

/** The rule that a request meets: the first whose match it has. */
function routeOf(file: unknown, path: string): Json {
	const routes = theOne(file, 'routes') as readonly {
		readonly match: Json;
		readonly route: Json;
	}[];
	const found = routes.find(({ match }) =>
		isObject(match['safe_regex'])
			? new RegExp(`^(?:${String(match['safe_regex']['regex'])})$`).test(path)
			: path.startsWith(String(match['prefix'])),
	);
	assert.ok(found, path);
	return found.route;
}

/** Names of the headers by which a rule chooses a server, as nginx spells them. */
const headersOf = ({ hash_policy: policies }: Json): string[] =>
	(policies as readonly Json[]).flatMap(({ header, terminal }) => {
		if (!isObject(header)) return [];
		assert.equal(terminal, true, 'the first that a request has counts alone');
		return [String(header['header_name']).toLowerCase().replaceAll('-', '_')];
	});

const cluster = (file: unknown, name: unknown): Json => {
	const found = (theOne(file, 'clusters') as readonly Json[]).find((each) => each['name'] === name);
	assert.ok(found);
	return found;
};

const kept = [
	...['/v1/files', '/v1/files/file-1/content', '/v1/batches?limit=2', '/v1/batches/b/cancel'],
	...['/translator/document/batches', '/endpoint/translator/document:translate?api-version=1'],
];

/** Messages of the published API (v3), with those of their fields that the file has. */
const messages: Readonly<Record<string, readonly string[]>> = {
	bootstrap: ['static_resources'],
	static_resources: ['listeners', 'clusters'],
	listener: ['name', 'address', 'filter_chains'],
	address: ['socket_address'],
	socket_address: ['address', 'port_value'],
	filter: ['filters', 'name', 'typed_config'],
	manager: [
		...['@type', 'stat_prefix', 'http_filters', 'stream_idle_timeout', 'upgrade_configs'],
		...['route_config', 'upgrade_type', 'local_reply_config'],
	],
	local_reply_config: ['mappers'],
	mapper: ['filter', 'status_code', 'headers_to_add', 'body_format_override'],
	filter_of_mapper: ['response_flag_filter', 'flags'],
	body_format_override: ['content_type', 'text_format_source', 'inline_string'],
	route_config: ['virtual_hosts', 'name', 'domains', 'response_headers_to_add', 'routes'],
	header: ['header', 'key', 'value'],
	route: [
		'match',
		'safe_regex',
		'regex',
		'route',
		'prefix',
		'cluster',
		'timeout',
		'hash_policy',
		'retry_policy',
	],
	hash_policy: ['header_name', 'terminal', 'connection_properties', 'source_ip'],
	retry_policy: [
		...['retry_on', 'retriable_status_codes', 'num_retries', 'retry_host_predicate'],
		'host_selection_retry_max_attempts',
	],
	cluster: [
		...['name', 'type', 'connect_timeout', 'lb_policy', 'ring_hash_lb_config', 'common_lb_config'],
		...['load_assignment', 'health_checks', 'circuit_breakers', 'typed_extension_protocol_options'],
	],
	lb: ['minimum_ring_size', 'healthy_panic_threshold'],
	load_assignment: ['cluster_name', 'endpoints', 'lb_endpoints', 'endpoint', 'health_check_config'],
	health_check: [
		...['interval', 'unhealthy_threshold', 'healthy_threshold', 'http_health_check', 'path'],
	],
	circuit_breakers: [
		...['thresholds', 'max_connections', 'max_pending_requests', 'max_requests', 'max_retries'],
	],
	protocol: [
		...['envoy.extensions.upstreams.http.v3.HttpProtocolOptions', 'explicit_http_config'],
		...['http_protocol_options', 'common_http_protocol_options', 'idle_timeout'],
	],
};

test('every field of the file is one that Envoy knows', () => {
	const known = new Set(Object.values(messages).flat());
	const used = [...within(parse(read('envoy.yaml')))].flatMap(([, value]) =>
		isObject(value) && !Array.isArray(value) ? Object.keys(value) : [],
	);
	assert.deepEqual(
		[...new Set(used)].filter((name) => !known.has(name)),
		[],
	);
	assert.ok(used.length > 90);
});

test('Envoy keeps conversations by the same headers as nginx, in the same order', () => {
	const file = parse(read('envoy.yaml')) as Json;
	const [, key = ''] = /^map "([^"]+)"/m.exec(read('nginx.conf')) ?? [];
	const [talk, ...keys] = key.split('|').map((name) => name.replace('$http_', ''));
	assert.equal(talk, '$nearglot_talk');
	for (const path of ['/v1/chat/completions', '/v1/conversations/c/items', '/'])
		assert.deepEqual(headersOf(routeOf(file, path)), ['x_conversation', ...keys], path);
	for (const path of kept) assert.deepEqual(headersOf(routeOf(file, path)), keys, path);
});

test('Envoy cuts no stream, tries again before the first byte only, and asks for the readiness', () => {
	const file = parse(read('envoy.yaml'));
	for (const path of ['/v1/chat/completions', '/v1/conversations', ...kept])
		assert.equal(routeOf(file, path)['timeout'], '0s');
	assert.equal(theOne(file, 'stream_idle_timeout'), '600s');
	const route = routeOf(file, '/v1/chat/completions');
	const retry = route['retry_policy'] as Json;
	assert.equal(retry['retry_on'], 'connect-failure,refused-stream,reset,retriable-status-codes');
	assert.deepEqual(retry['retriable_status_codes'], [503]);
	assert.ok('retry_host_predicate' in retry);
	const servers = cluster(file, route['cluster']);
	assert.equal(theOne({ servers }, 'path'), '/readyz');
	const endpoints = theOne({ servers }, 'lb_endpoints') as readonly { readonly endpoint: Json }[];
	for (const { endpoint } of endpoints)
		assert.deepEqual(endpoint['health_check_config'], { port_value: 9090 });
	const names = [...within(file)].map(([at]) => at.split('.').at(-1));
	for (const name of ['outlier_detection', 'hash_balance_factor', 'buffer'])
		assert.ok(!names.includes(name), name);
});

test('what Envoy says itself has the form of other errors, and tells whether a server may have got the request', () => {
	const { mappers } = theOne(parse(read('envoy.yaml')), 'local_reply_config') as {
		readonly mappers: readonly {
			readonly filter: { readonly response_flag_filter: { readonly flags: readonly string[] } };
			readonly status_code: number;
			readonly headers_to_add?: unknown;
			readonly body_format_override: {
				readonly content_type: string;
				readonly text_format_source: { readonly inline_string: string };
			};
		}[];
	};
	// The first that fits counts: a request that one server got and another refused may have been done.
	assert.deepEqual(
		mappers.map(({ status_code: status }) => status),
		[502, 504, 503],
	);
	for (const { status_code: status, filter, headers_to_add, ...mapper } of mappers) {
		const { content_type, text_format_source } = mapper.body_format_override;
		assert.equal(content_type, 'application/json');
		const { error } = JSON.parse(text_format_source.inline_string);
		assert.equal(errorKinds[error.code as ErrorCode].httpStatus, status);
		const { flags } = filter.response_flag_filter;
		assert.equal(flags.includes('UF'), status === 503, 'no connection came about');
		assert.equal(flags.includes('UC'), status === 502, 'it broke');
		const later = status === 503 ? [{ header: { key: 'Retry-After', value: '5' } }] : undefined;
		assert.deepEqual(headers_to_add, later);
	}
});

test('all balancers say the same, in the form of other errors', () => {
	const said = (name: string) =>
		[...read(name).matchAll(/\{"error":\{.*?"param":null\}\}/g)].map(([text]) => text);
	const general = [...new Set(said('envoy.yaml'))].sort();
	assert.equal(general.length, 3);
	for (const name of ['haproxy.cfg', 'nginx.conf', 'helm/nearglot/templates/3-balancer.yaml']) {
		const texts = said(name);
		for (const text of texts) {
			const { error } = JSON.parse(text);
			assert.equal(error.type, errorKinds[error.code as ErrorCode].type, name);
		}
		const own = texts.filter((text) => text.includes('keeps your files'));
		assert.deepEqual(own.length, 3, name);
		assert.deepEqual(texts.filter((text) => !own.includes(text)).sort(), general, name);
	}
});

test('Envoy does nothing twice that changes something, and asks no other server for what lies with one', () => {
	const file = parse(read('envoy.yaml'));
	const talks = routeOf(file, '/v1/conversations/c/items')['retry_policy'] as Json;
	assert.doesNotMatch(String(talks['retry_on']), /\breset\b/);
	const servers = cluster(file, 'servers');
	for (const path of kept) {
		const route = routeOf(file, path);
		assert.deepEqual(route['retry_policy'], { retry_on: 'connect-failure', num_retries: 2 }, path);
		const own = cluster(file, route['cluster']);
		// A server that is checked gives its part of the ring to others.
		assert.ok(!('health_checks' in own), path);
		for (const name of ['lb_policy', 'ring_hash_lb_config'])
			assert.deepEqual(own[name], servers[name], name);
		const addresses = (of: Json) =>
			[...within(of)].flatMap(([at, value]) => (at.endsWith('.socket_address') ? [value] : []));
		assert.deepEqual(addresses(own), addresses(servers));
	}
});
