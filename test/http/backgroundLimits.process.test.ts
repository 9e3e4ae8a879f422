/** Responses in the background whose person comes over a limit after they were asked for. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sseData, startTestServer, type TestServer } from '../support/testServer.ts';
import { until } from '../support/until.ts';

let server: TestServer;
before(async () => {
	server = await startTestServer({ fakeRunner: true });
});
after(() => server.close());

interface Kept {
	readonly status: string;
	readonly error: { readonly code: string; readonly message: string } | null;
}

function personWith(tokensPerDay: number) {
	const options = { name: 'anna', scopes: ['chat'], limits: { tokensPerDay } } as const;
	const { key, entry } = server.backend.people.keys.create(options);
	const person = `key:${entry.id}`;
	const headers = { authorization: `Bearer ${key}` };
	const { counts } = server.backend.people;
	return {
		headers,
		uses: (tokens: number) => counts.settle(person, undefined, { tokens }),
		read: async (id: string) =>
			(await server.backend.responses.read(person, id)) as unknown as Kept,
		ask: (more: object = {}) =>
			server.post(
				'/v1/responses',
				{ model: 'starter-chat', input: 'slow', background: true, max_output_tokens: 40, ...more },
				{ headers },
			),
	};
}

/** Lets something happen between the check of the next request and the reservation for its work. */
function betweenCheckAndWork(happens: () => Promise<unknown>): void {
	const { counts } = server.backend.people;
	const reserve = counts.reserve.bind(counts);
	let calls = 0;
	const changed: typeof counts.reserve = async (...call) => {
		if (++calls < 2) return reserve(...call);
		counts.reserve = reserve;
		await happens();
		return reserve(...call);
	};
	counts.reserve = changed;
}

test('who comes over the limit before the work begins reads which limit, and has paid nothing for it', async () => {
	const anna = personWith(60);
	betweenCheckAndWork(() => anna.uses(50));
	const asked = await anna.ask();
	assert.equal(asked.status, 200);
	const { id } = (await asked.json()) as { id: string };
	await until('it has ended', async () => (await anna.read(id)).status === 'failed');
	const { error } = await anna.read(id);
	assert.equal(error?.code, 'rate_limited');
	assert.match(error?.message ?? '', /may use 60 tokens a day, of which 50 .* Try again in \d+ s/);
	const fitting = await anna.ask({ background: false, input: 'Hi', max_output_tokens: 2 });
	assert.equal(fitting.status, 200, await fitting.text());
});

test('the stream of such a response ends with the limit, too', async () => {
	const anna = personWith(60);
	betweenCheckAndWork(() => anna.uses(50));
	const events = (await sseData(await anna.ask({ stream: true }))) as {
		readonly type: string;
		readonly response?: Kept;
	}[];
	const last = events.findLast(({ type }) => type !== undefined);
	assert.equal(last?.type, 'response.failed');
	assert.equal(last?.response?.error?.code, 'rate_limited');
});

test('work that has its reservation goes on to its end when the person comes over the limit beside it', async () => {
	const anna = personWith(60);
	const { id } = (await (await anna.ask()).json()) as { id: string };
	await until('it is under way', async () => (await anna.read(id)).status === 'in_progress');
	await anna.uses(60);
	assert.equal((await anna.ask({ max_output_tokens: 1 })).status, 429);
	await until('it has ended', async () => (await anna.read(id)).status === 'completed');
});
