/**
 * How long a frame of the chat takes: 500 messages on the page and 60 tokens a second. The figures
 * are printed, not judged: how fast a machine is says nothing about the page.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longChat, openChatPage, pageState, sampleAnswer } from './fakeHost.ts';

interface TraceEvent {
	readonly name: string;
	readonly ph: string;
	/** Microseconds. */
	readonly ts: number;
	/** Microseconds of processor time: what other processes take is not in it. */
	readonly tdur?: number;
	readonly tid: number;
}

interface Frames {
	/** Milliseconds of work on the main thread in each frame. */
	readonly workMs: number[];
	readonly frames: number;
}

const messages = 500;
const seconds = Number(process.env['CHAT_SPEED_SECONDS'] ?? '10');
const tokensPerSecond = 60;

test('an answer streams at 60 tokens a second below 500 messages', async () => {
	await using host = await openChatPage();
	const { page } = host;
	const turns = longChat(messages);
	const shownAt = performance.now();
	await host.post({ type: 'state', state: pageState(turns), strings: {} });
	await page.getByText(`Part ${messages - 1} works`).waitFor();
	const openMs = performance.now() - shownAt;
	await page
		.locator('.turn')
		.nth(messages - 1)
		.waitFor({ state: 'attached' });
	const wholeMs = performance.now() - shownAt;
	const open = { id: 'open', parent: `t${messages - 1}`, role: 'assistant', text: '' } as const;
	const answering = { ...open, createdAt: '2026-01-01T00:00:00.000Z' };
	await host.post({
		type: 'state',
		state: pageState([...turns, answering], { answering: 'open' }),
		strings: {},
	});
	const words = Array.from({ length: 40 }, (_, index) => sampleAnswer(index))
		.join('\n')
		.match(/\s*\S+/g) as string[];
	const session = await page.context().newCDPSession(page);
	const events: TraceEvent[] = [];
	session.on('Tracing.dataCollected', ({ value }) =>
		events.push(...(value as unknown as TraceEvent[])),
	);
	await session.send('Tracing.start', {
		transferMode: 'ReportEvents',
		categories:
			'disabled-by-default-devtools.timeline,devtools.timeline,toplevel,blink.user_timing',
	});
	// Tokens come one by one, as many as the clock asks for.
	await page.evaluate(
		async ({ tokens, perSecond, forMs }) => {
			performance.mark('stream-begin');
			const began = performance.now();
			let next = 0;
			await new Promise<void>((resolve) => {
				const timer = setInterval(() => {
					const passed = performance.now() - began;
					while (next < (passed * perSecond) / 1000) {
						const text = tokens[next++ % tokens.length];
						window.postMessage({ type: 'delta', id: 'open', text, reasoning: '' });
					}
					if (passed > forMs) {
						clearInterval(timer);
						resolve();
					}
				}, 1000 / perSecond);
			});
			performance.mark('stream-end');
		},
		{ tokens: words, perSecond: tokensPerSecond, forMs: seconds * 1000 },
	);
	const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
	await session.send('Tracing.end');
	await complete;
	const { workMs, frames } = framesOf(events);
	const sorted = [...workMs].sort((a, b) => a - b);
	const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
	const mean = workMs.reduce((sum, ms) => sum + ms, 0) / Math.max(1, workMs.length);
	const over = workMs.filter((ms) => ms > 8).length;
	console.error(
		`chat of ${messages} messages: shown in ${openMs.toFixed(0)} ms, all of it in ${wholeMs.toFixed(0)} ms; ${tokensPerSecond} tokens/s for ${seconds} s: ` +
			`${frames} frames, main-thread work per frame mean ${mean.toFixed(2)} ms, median ${at(0.5)}, ` +
			`p95 ${at(0.95)}, p99 ${at(0.99)}, longest ${at(1)}; ${over} frames over 8 ms`,
	);
	assert.ok(frames > seconds, 'the page kept drawing');
	assert.match((await page.locator('.answer').last().textContent()) ?? '', /works in three steps/);
});

/** Adds up the tasks of the page's main thread between one frame and the next. */
function framesOf(events: readonly TraceEvent[]): Frames {
	const begin = events.find(({ name }) => name === 'stream-begin');
	const end = events.find(({ name }) => name === 'stream-end');
	if (!begin || !end) throw new Error('The trace holds no marks.');
	const own = events.filter(({ tid, ts }) => tid === begin.tid && ts >= begin.ts && ts <= end.ts);
	const starts = own
		.filter(({ name, ph }) => name === 'AnimationFrame::Render' && ph !== 'e' && ph !== 'E')
		.map(({ ts }) => ts)
		.sort((a, b) => a - b);
	const tasks = own.filter(({ name, tdur }) => name === 'RunTask' && tdur !== undefined);
	const workMs: number[] = Array.from({ length: Math.max(0, starts.length - 1) }, () => 0);
	let frame = 0;
	for (const { ts, tdur = 0 } of tasks.sort((a, b) => a.ts - b.ts)) {
		while (frame < starts.length - 1 && (starts[frame + 1] ?? 0) <= ts) frame++;
		if (frame < workMs.length && ts >= (starts[0] ?? 0)) {
			workMs[frame] = (workMs[frame] ?? 0) + tdur / 1000;
		}
	}
	return { workMs, frames: starts.length };
}
