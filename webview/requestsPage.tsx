/** The last requests to chat models: what the model was given, how long it took, why it ended; for the owner. */

import { numberText, timeOfDay } from './numberText.ts';
import './requestsPage.css';
import { signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { errorText } from './errorText.ts';
import type { ListedRequest, ShownRequest, StudioApi } from './studioApi.ts';
import { text } from './studioText.ts';

/** Milliseconds between two looks. */
const everyMs = 2000;

const isRecording = signal(false);
const requests = signal<readonly ListedRequest[]>([]);
const problem = signal('');

export function RequestsPage({ api }: { api: StudioApi }): VNode {
	const look = useMemo(() => () => attempt(() => show(api.recordedRequests())), [api]);
	useEffect(() => {
		void look();
		const timer = setInterval(look, everyMs);
		return () => clearInterval(timer);
	}, [look]);
	return (
		<section class="tool requests" aria-label={text('requests')}>
			{problem.value !== '' && (
				<p class="error" role="alert">
					{problem.value}
				</p>
			)}
			<label class="switch">
				<input
					type="checkbox"
					checked={isRecording.value}
					onChange={({ currentTarget }) =>
						void attempt(() => show(api.recordRequests(currentTarget.checked)))
					}
				/>
				{text('recordRequests')}
			</label>
			<p class="note">{text('recordNote')}</p>
			{isRecording.value && requests.value.length === 0 && <p>{text('noRequests')}</p>}
			<ul>
				{requests.value.map((request) => (
					<li key={request.id}>
						<Recorded request={request} api={api} />
					</li>
				))}
			</ul>
		</section>
	);
}

async function show(answer: ReturnType<StudioApi['recordedRequests']>): Promise<void> {
	const found = await answer;
	isRecording.value = found.isRecording;
	requests.value = found.requests;
}

async function attempt(work: () => Promise<unknown>): Promise<void> {
	try {
		await work();
		problem.value = '';
	} catch (error) {
		problem.value = errorText(error);
	}
}

function Recorded({ request, api }: { request: ListedRequest; api: StudioApi }): VNode {
	const detail = useSignal<ShownRequest | undefined>(undefined);
	const { id, model, route, startedAt, state, reason } = request;
	const open = () =>
		attempt(async () => {
			detail.value = await api.recordedRequest(id);
		});
	return (
		<details
			onToggle={({ currentTarget }) => {
				if (currentTarget.open) void open();
			}}
		>
			<summary>
				{timeOfDay(startedAt)} · {route} · {model} ·{' '}
				{state === 'running' ? text('underWay') : reason}
				{factsOf(request)}
			</summary>
			{detail.value !== undefined && <Detail detail={detail.value} api={api} />}
		</details>
	);
}

const milliseconds = (ms: number): string => `${numberText(ms)} ms`;

/** Tokens and times in one line. */
function factsOf({ usage, timings, ms }: ListedRequest): string {
	if (usage === undefined || timings === undefined)
		return ms === undefined ? '' : ` · ${milliseconds(ms)}`;
	const { prompt_tokens: prompt, prompt_tokens_details: details, completion_tokens: made } = usage;
	const share = prompt === 0 ? 0 : Math.round((100 * details.cached_tokens) / prompt);
	const times = text(
		'requestTimes',
		milliseconds(timings.queue_ms),
		milliseconds(timings.prompt_ms),
		milliseconds(timings.predicted_ms),
	);
	return ` · ${text('requestTokens', prompt, share, made)} · ${times}`;
}

function Detail({ detail, api }: { detail: ShownRequest; api: StudioApi }): VNode {
	const again = useSignal<string | undefined>(undefined);
	const stop = useSignal<AbortController | undefined>(undefined);
	const run = async () => {
		const controller = new AbortController();
		stop.value = controller;
		try {
			again.value = await api.runAgain(detail, controller.signal);
		} catch (error) {
			if (!controller.signal.aborted) again.value = errorText(error);
		} finally {
			stop.value = undefined;
		}
	};
	const calls = detail.calls.map((call) => `${call.name}(${call.arguments})`).join('\n');
	return (
		<>
			{detail.message !== undefined && <p class="error">{detail.message}</p>}
			<Block title={text('renderedPrompt')} content={detail.prompt ?? text('promptGone')} />
			<Block title={text('reasoning')} content={detail.reasoning} />
			<Block title={text('answer')} content={detail.answer} />
			<Block title={text('calls')} content={calls} />
			<button
				type="button"
				class="secondary"
				onClick={() => (stop.value === undefined ? void run() : stop.value.abort())}
			>
				{text(stop.value === undefined ? 'runAgain' : 'stop')}
			</button>
			<div aria-live="polite">
				{again.value !== undefined && <Block title={text('runAgain')} content={again.value} />}
			</div>
		</>
	);
}

function Block({ title, content }: { title: string; content: string }): VNode | null {
	if (content === '') return null;
	return (
		<>
			<h3>{title}</h3>
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with keys, too */}
			<pre tabIndex={0}>{content}</pre>
		</>
	);
}
