/** The dashboard of deploy/ asks for metrics and labels that the model server has. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { daemonMetricNames, daemonMetrics } from '../../server/services/daemonMetrics.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

interface Dashboard {
	readonly panels: readonly {
		readonly id: number;
		readonly title: string;
		readonly gridPos: { readonly x: number; readonly y: number; readonly w: number };
		readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
	}[];
	readonly templating: {
		readonly list: readonly { readonly name: string; readonly query: string }[];
	};
}

let dashboard: Dashboard;
let server: TestServer;
before(async () => {
	const file = new URL('../../deploy/grafana.json', import.meta.url);
	dashboard = JSON.parse(await readFile(file, 'utf8')) as Dashboard;
	server = await startTestServer({ fakeRunner: true });
});
after(() => server.close());

const expressions = () => [
	...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
	...dashboard.templating.list.map(({ query }) => query),
];
const base = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '');

test('every metric of the dashboard is one of the model server’s', () => {
	const asked = new Set(
		expressions().flatMap((text) => (text.match(/nearglot_\w+/g) ?? []).map(base)),
	);
	assert.ok(asked.size > 12);
	assert.deepEqual(
		[...asked].filter((name) => !daemonMetricNames.has(name)),
		[],
	);
});

test('the first refusal is a rise of its rate, as the 0 before it was there', () => {
	assert.match(daemonMetrics().render(), /^nearglot_overloaded_total 0$/m);
});

test('panels have names, places and numbers of their own, and variables that there are', () => {
	const variables = new Set(dashboard.templating.list.map(({ name }) => name));
	for (const text of expressions())
		for (const [, name = ''] of text.matchAll(/\$(?!__)\{?(\w+)/g))
			assert.ok(variables.has(name), `${name} in ${text}`);
	const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
	for (const list of [dashboard.panels.map(({ id }) => id), places])
		assert.equal(new Set<unknown>(list).size, dashboard.panels.length);
	for (const { title, targets } of dashboard.panels) assert.ok(title !== '' && targets.length > 0);
});

test('each metric has the labels by which the dashboard chooses and sums', async () => {
	const body = { model: 'starter-chat', messages: [{ role: 'user', content: 'hi' }] };
	await (await server.post('/v1/chat/completions', body)).text();
	const response = await fetch(`${server.url}/metrics`, { headers: server.keyed });
	const labels = new Map<string, Set<string>>();
	for (const [, name = '', given = ''] of (await response.text()).matchAll(
		/^(nearglot_\w+)\{([^}]*)\}/gm,
	)) {
		const known = labels.get(base(name)) ?? new Set();
		for (const [, label = ''] of given.matchAll(/(\w+)="/g)) known.add(label);
		labels.set(base(name), known);
	}
	for (const expr of expressions())
		for (const [, name = '', given = ''] of expr.matchAll(/(nearglot_\w+)\{([^}]*)\}/g)) {
			const known = labels.get(base(name));
			// What nobody has counted yet has no labels; what a scrape adds is not ours.
			if (known === undefined) continue;
			for (const [, label = ''] of given.matchAll(/(\w+)=/g))
				assert.ok(label === 'job' || known.has(label), `${name} has no label ${label}`);
		}
});
