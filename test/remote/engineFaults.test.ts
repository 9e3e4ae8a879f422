/** Whose failures are whose at an engine elsewhere, and how long signs of life are taken for an answer to come. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnansweredConnection } from '../../server/net/outbound.ts';
import type { AppError } from '../../server/protocol/index.ts';
import { createUpstream } from '../../server/remote/upstreams/openaiUpstream.ts';

/** The body of an answer that tests write piece by piece. */
interface OpenAnswer {
	write(text: string): Promise<void>;
	end(): void;
}

type Answer = (model: string, signal: AbortSignal) => Response | Promise<Response>;

const nap = () => new Promise((resolve) => setImmediate(resolve));

/** An engine whose answers and clock are the test's. */
function startEngine(answer: Answer, keyOf = (): string | undefined => 'k') {
	let nowMs = 0;
	const timers = new Set<{ readonly atMs: number; readonly action: () => void }>();
	const requested: string[] = [];
	const entry = {
		...{ name: 'lab', url: 'http://lab:8000/v1', models: [], timeoutS: 60 },
		keyFile: '/keys/lab',
	};
	const engine = createUpstream(entry, {
		fetch: async (_url, init) => {
			const model = String(JSON.parse(String(init?.body ?? '{}')).model);
			requested.push(model);
			return answer(model, init?.signal ?? new AbortController().signal);
		},
		now: () => nowMs,
		readKey: async () => keyOf(),
		handedKey: () => undefined,
		after: (ms, action) => {
			const timer = { atMs: nowMs + ms, action };
			timers.add(timer);
			return () => void timers.delete(timer);
		},
	});
	const pass = async (ms: number) => {
		nowMs += ms;
		for (const timer of [...timers]) {
			if (timer.atMs > nowMs) continue;
			timers.delete(timer);
			timer.action();
		}
		await nap();
	};
	const ask = (
		model: string,
		objects: unknown[] = [],
		onError?: (error: AppError) => void,
	): Promise<string> =>
		engine
			.stream('/chat/completions', { model }, (object) => {
				objects.push(object);
				return false;
			})
			.then(
				() => 'answered',
				(error: AppError) => {
					onError?.(error);
					return `${error.code}: ${error.message}`;
				},
			);
	const embed = (): Promise<string> =>
		engine.whole('/embeddings', { model: 'e' }).then(
			() => 'answered',
			(error: AppError) => `${error.code}: ${error.message}`,
		);
	return { ask, embed, pass, requested, timers, engine };
}

const done = () =>
	new Response('data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: [DONE]\n\n');

/** An answer that stays open until it is ended or given up. */
function openAnswer(signal: AbortSignal): [Response, OpenAnswer] {
	const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
	const writer = writable.getWriter();
	signal.addEventListener('abort', () => void writer.abort(signal.reason).catch(() => {}));
	return [
		new Response(readable),
		{
			write: async (text) => {
				await writer.write(Buffer.from(text)).catch(() => {});
				await nap();
			},
			end: () => void writer.close().catch(() => {}),
		},
	];
}

test('a model that fails is left alone, and the others of its engine are not', async () => {
	const engine = startEngine((model) =>
		model === 'broken' ? new Response('{}', { status: 500 }) : done(),
	);
	for (let time = 0; time < 5; time++)
		assert.match(await engine.ask('broken'), /^upstream_failed: .*failed \(500\)/);
	const left = await engine.ask('broken');
	assert.match(
		left,
		/^upstream_failed: The model 'broken' of the engine 'lab' .* left alone for 30 s/,
	);
	assert.equal(engine.requested.length, 5, 'it was not asked');
	assert.equal(await engine.ask('well'), 'answered');
	await engine.pass(30_000);
	const tries = await Promise.all([engine.ask('broken'), engine.ask('broken')]);
	assert.equal(
		tries.filter((each) => each.includes('left alone')).length,
		1,
		'one at a time tries',
	);
	assert.equal(await engine.ask('well'), 'answered', 'however often the other one is tried');
});

test('a model that hangs is left alone, and the others of its engine are not', async () => {
	const engine = startEngine((model, signal) =>
		model === 'well'
			? done()
			: new Promise((_, reject) => {
					signal.addEventListener('abort', () => reject(signal.reason));
				}),
	);
	const hung = Array.from({ length: 5 }, () => engine.ask('hung'));
	await nap();
	await engine.pass(60_000);
	for (const each of await Promise.all(hung))
		assert.match(each, /^timeout: .* said nothing for 60 s/);
	assert.match(await engine.ask('hung'), /The model 'hung' .* left alone/);
	assert.equal(await engine.ask('well'), 'answered');
});

test('a key that is refused or missing leaves nobody alone: the right one counts at once', async () => {
	for (const status of [401, 403]) {
		let isRight = false;
		const engine = startEngine(() => (isRight ? done() : new Response('{}', { status })));
		for (let time = 0; time < 7; time++) assert.match(await engine.ask('m'), /refuses its key/);
		isRight = true;
		assert.equal(await engine.ask('m'), 'answered');
	}
	let key: string | undefined;
	const engine = startEngine(done, () => key);
	for (let time = 0; time < 7; time++) assert.match(await engine.ask('m'), /missing or empty/);
	key = 'k';
	assert.equal(await engine.ask('m'), 'answered');
});

test('an engine that cannot be reached is left alone with all of its models', async () => {
	const engine = startEngine(() =>
		Promise.reject(Object.assign(new Error(), { code: 'ECONNREFUSED' })),
	);
	for (let time = 0; time < 5; time++)
		assert.match(
			await engine.ask(`model ${time}`),
			/cannot be reached \(nothing answers there: ECONNREFUSED\)/,
		);
	assert.match(
		await engine.ask('another'),
		/^upstream_failed: The engine 'lab' .* left alone for 30 s.* Its last failure: cannot be reached \(nothing answers there: ECONNREFUSED\)\. Check/,
	);
	assert.equal(engine.requested.length, 5);
});

test('who is refused for earlier failures hears why, and nothing of what others have written', async () => {
	const fails = (words: (question: string) => string) => {
		const entry = { name: 'lab', url: 'http://lab:8000/v1', models: [], timeoutS: 60 };
		const failing = createUpstream(entry, {
			fetch: async (_url, init) =>
				Response.json({ error: { message: words(String(init?.body)) } }, { status: 500 }),
			now: () => 0,
			readKey: async () => undefined,
			handedKey: () => undefined,
			after: () => () => {},
		});
		return (content: string): Promise<string> =>
			failing
				.stream('/chat/completions', { model: 'm', messages: [{ content }] }, () => false)
				.then(
					() => 'answered',
					(error: AppError) => error.message,
				);
	};
	const alike = fails(() => 'CUDA error: out of memory');
	for (let time = 0; time < 5; time++) await alike(`question ${time}`);
	assert.match(
		await alike('another'),
		/left alone for 30 s.* Its last failure: failed \(500\): CUDA error: out of memory\.$/,
	);
	const quoting = fails((body) => `cannot parse ${body}`);
	for (let time = 0; time < 5; time++)
		assert.match(await quoting(`secret ${time}`), /cannot parse .*secret/);
	assert.match(await quoting('another'), /Its last failure: failed \(500\)\.$/);
	const retried = fails((body) => `cannot parse ${body}`);
	for (let time = 0; time < 5; time++) await retried('secret of one');
	assert.match(await retried('another'), /Its last failure: failed \(500\)\.$/);
});

test('signs of life alone are waited for ten times as long as silence, and pieces of an answer for ever', async () => {
	let answer: OpenAnswer | undefined;
	const engine = startEngine((_, signal) => {
		const [response, open] = openAnswer(signal);
		answer = open;
		return response;
	});
	const signs = [
		': ping\n\n',
		'data: {"choices":[]}\n\n',
		'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n',
	];
	for (const sign of signs) {
		const asked = engine.ask('m');
		await nap();
		for (let at = 0; at < 10; at++) {
			await engine.pass(59_000);
			await answer?.write(sign);
		}
		await engine.pass(10_000);
		assert.match(await asked, /^timeout: The engine 'lab' .*said for 600 s that it lives/, sign);
		assert.equal(engine.timers.size, 0);
	}
	const objects: unknown[] = [];
	const long = engine.ask('other', objects);
	await nap();
	for (let at = 0; at < 40; at++) {
		await engine.pass(59_000);
		await answer?.write('data: {"choices":[{"delta":{"content":"word "}}]}\n\n');
	}
	await answer?.write('data: [DONE]\n\n');
	assert.equal(await long, 'answered');
	assert.equal(objects.length, 40);
});

test('a machine that answers no connection is left alone with all its models at once, and tried by one after ten seconds', async () => {
	let isThere = false;
	const { ask, pass, requested, engine } = startEngine(() => {
		if (isThere) return done();
		throw new UnansweredConnection(5000, undefined, undefined);
	});
	assert.equal(engine.isAway, false);
	assert.match(
		await ask('one'),
		/^upstream_failed: The engine 'lab' .* answers no connection \(5 s\)/,
	);
	assert.equal(engine.isAway, true);
	const left = /^upstream_failed: .*answered no connection and is left alone for 10 s, with all/;
	assert.match(await ask('two'), left);
	await assert.rejects(engine.models(), /is left alone for 10 s/);
	assert.equal(requested.length, 1, 'nothing else was asked');
	await pass(10_000);
	assert.match(await ask('two'), /answers no connection/);
	assert.match(await ask('one'), left);
	await pass(10_000);
	isThere = true;
	assert.equal(await ask('one'), 'answered');
	assert.equal(engine.isAway, false);
	assert.equal(await ask('two'), 'answered');
});

test('a list that finds no connection speaks for requests as well, and a proxy is named where it is the one', async () => {
	const { ask, requested, engine } = startEngine(() => {
		throw new UnansweredConnection(2000, 'proxy.example:3128', undefined);
	});
	await assert.rejects(
		engine.models(),
		/^AppError: The engine 'lab' .* the proxy proxy\.example:3128 answers no connection \(2 s\)/,
	);
	assert.match(await ask('one'), /is left alone for 10 s/);
	assert.equal(requested.length, 1);
});

test('what keeps a connection from coming about is said with what to do about it', async () => {
	for (const [code, words] of [
		['DEPTH_ZERO_SELF_SIGNED_CERT', /certificate that is not trusted here .*NEARGLOT_CA_FILE/],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /certificate that is not trusted here/],
		['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /certificate that is not trusted here/],
		['CERT_HAS_EXPIRED', /certificate that is not valid today/],
		['ERR_TLS_CERT_ALTNAME_INVALID', /certificate for another name/],
		['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS there .*begins with http:/],
		['ECONNREFUSED', /cannot be reached \(nothing answers there: ECONNREFUSED\)/],
		['ENOTFOUND', /no host of that name/],
	] as const) {
		const { ask } = startEngine(() => {
			throw Object.assign(new Error('it failed'), { code });
		});
		const said = await ask('m');
		assert.match(said, /^upstream_failed: The engine 'lab' \(lab:8000\) /);
		assert.match(said, words, code);
	}
});

test('an address without its end is said to lack it', async () => {
	const { engine } = startEngine(() => new Response('{"detail":"Not Found"}', { status: 404 }));
	await assert.rejects(
		engine.models(),
		/no list of models at http:\/\/lab:8000\/v1\/models .* \/v1/,
	);
	assert.equal(engine.isAway, false);
});

test('blanks before a whole answer do not hold it open without end', async () => {
	let answer: OpenAnswer | undefined;
	const engine = startEngine((_, signal) => {
		const [response, open] = openAnswer(signal);
		answer = open;
		return response;
	});
	const asked = engine.embed();
	await nap();
	for (let at = 0; at < 11; at++) {
		await engine.pass(59_000);
		await answer?.write(' ');
	}
	assert.match(await asked, /^timeout: .*said for 600 s that it lives/);
});

test('only what has not seen a request is said to say nothing of it: no connection, a refused key, a redirect', async () => {
	const refused = () =>
		Promise.reject(
			Object.assign(new TypeError('fetch failed'), {
				cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
			}),
		);
	const reset = () =>
		Promise.reject(
			Object.assign(new TypeError('fetch failed'), {
				cause: Object.assign(new Error('read'), { code: 'ECONNRESET' }),
			}),
		);
	const said = async (answer: Answer, key: string | undefined = 'k') => {
		const errors: AppError[] = [];
		await startEngine(answer, () => key).ask('m', [], (error) => errors.push(error));
		return [errors[0]?.data?.['unsent'] ?? false, errors[0]?.retryAfterS];
	};
	assert.deepEqual(await said(refused), [true, 1]);
	const inVain = [true, undefined];
	assert.deepEqual(await said(() => new Response('{}', { status: 401 })), inVain);
	assert.deepEqual(await said(() => new Response('', { status: 302 })), inVain);
	assert.deepEqual(await said(done, ''), inVain);
	const seen = [false, undefined];
	assert.deepEqual(await said(reset), seen, 'it may be what was asked that has ended it');
	const page = '<h1>Bad Gateway</h1>';
	assert.deepEqual(await said(() => new Response(page, { status: 502 })), seen);
	const own = { error: { message: 'This prompt breaks me.' } };
	assert.deepEqual(await said(() => Response.json(own, { status: 500 })), seen);
	const again = { status: 500, headers: { 'retry-after': '7' } };
	assert.deepEqual(await said(() => Response.json(own, again)), [false, 7]);
});

test('a machine that is back is there for all as soon as an answer begins, however long that one takes', async () => {
	let answer = (_: AbortSignal): Response | Promise<Response> =>
		Promise.reject(new UnansweredConnection(5000, undefined, new Error('timeout')));
	const engine = startEngine((_, signal) => answer(signal));
	assert.match(await engine.ask('a'), /answers no connection/);
	await engine.pass(10_000);
	let open: OpenAnswer | undefined;
	answer = (signal) => {
		const [response, writer] = openAnswer(signal);
		open = writer;
		return response;
	};
	const first = engine.ask('a');
	await nap();
	answer = done;
	assert.equal(await engine.ask('b'), 'answered');
	open?.end();
	await first;
});

test('whoever tries whether a machine is back keeps others waiting no longer than it was left alone before', async () => {
	const engine = startEngine((_, signal) => {
		if (engine.requested.length === 1)
			return Promise.reject(new UnansweredConnection(5000, undefined, new Error('timeout')));
		if (engine.requested.length > 2) return done();
		return new Promise<Response>((_resolve, reject) =>
			signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
		);
	});
	assert.match(await engine.ask('a'), /answers no connection/);
	await engine.pass(10_000);
	const second = engine.ask('a');
	await nap();
	assert.match(await engine.ask('b'), /left alone for 10 s/);
	await engine.pass(10_000);
	assert.equal(await engine.ask('b'), 'answered');
	await engine.pass(60_000);
	assert.match(await second, /said nothing/);
});
