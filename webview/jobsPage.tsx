/** Bulk work: batches of requests, how far they are, what of them failed; begun, paused, ended, tried again. */

import { dateText, numberText } from './numberText.ts';
import './jobsPage.css';
import { signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { type FailedItem, firstFailed } from '../server/protocol/failedItems.ts';
import { setFormFile } from '../server/protocol/formFile.ts';
import * as routes from '../server/protocol/routeAddresses.ts';
import type { BatchAnswer } from '../server/protocol/routes/batches.ts';
import type { RequestOf } from '../server/protocol/routes/route.ts';
import { errorText, refusalText } from './errorText.ts';
import type { StudioApi } from './studioApi.ts';
import { type StudioKey, text } from './studioText.ts';

/** Milliseconds between two looks. */
const everyMs = 1500;
const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);

const batches = signal<readonly BatchAnswer[]>([]);
const hasMore = signal(false);
/** How many are shown. */
const shown = signal(20);
const problem = signal('');

async function look(api: StudioApi): Promise<void> {
	const page = await api.client.call(routes.listBatches, {
		query: { limit: String(Math.min(100, shown.value)) },
	});
	batches.value = page.data;
	hasMore.value = page.has_more && shown.value < 100;
}

async function attempt(work: () => Promise<unknown>): Promise<void> {
	try {
		await work();
		problem.value = '';
	} catch (error) {
		problem.value = errorText(error);
	}
}

export function JobsPage({ api }: { api: StudioApi }): VNode {
	const show = useMemo(() => () => attempt(() => look(api)), [api]);
	useEffect(() => {
		void show();
		const timer = setInterval(show, everyMs);
		return () => clearInterval(timer);
	}, [show]);
	return (
		<section class="tool jobs" aria-label={text('jobs')}>
			<p class="note">{text('jobsNote')}</p>
			<NewBatch api={api} />
			{problem.value !== '' && (
				<p class="error" role="alert">
					{problem.value}
				</p>
			)}
			{batches.value.length === 0 && <p>{text('noJobs')}</p>}
			<ul>
				{batches.value.map((batch) => (
					<li key={batch.id}>
						<Batch batch={batch} api={api} />
					</li>
				))}
			</ul>
			{hasMore.value && (
				<button
					type="button"
					class="secondary"
					onClick={() => {
						shown.value = 100;
						void show();
					}}
				>
					{text('moreJobs')}
				</button>
			)}
		</section>
	);
}

function NewBatch({ api }: { api: StudioApi }): VNode {
	const isBusy = useSignal(false);
	const begin = (file: File) =>
		attempt(async () => {
			isBusy.value = true;
			try {
				const endpoint = await endpointOf(file);
				const form = new FormData();
				form.set('purpose', 'batch');
				setFormFile(form, file, file.name, 'requests.jsonl');
				const kept = await api.client.call(routes.uploadFile, { body: form });
				await api.client.call(routes.createBatch, {
					body: {
						...{ input_file_id: kept.id, endpoint, completion_window: '24h' },
						metadata: { name: file.name.slice(0, 200) },
					},
				});
				await look(api);
			} finally {
				isBusy.value = false;
			}
		});
	return (
		<label class="button choose" aria-busy={isBusy.value}>
			{text('beginJob')}
			<input
				class="visually-hidden"
				type="file"
				accept=".jsonl,.ndjson"
				disabled={isBusy.value}
				onChange={({ currentTarget }) => {
					const [file] = currentTarget.files ?? [];
					currentTarget.value = '';
					if (file !== undefined) void begin(file);
				}}
			/>
		</label>
	);
}

type Endpoint = RequestOf<typeof routes.createBatch>['endpoint'];

/** Where the first request of a file goes. */
async function endpointOf(file: File): Promise<Endpoint> {
	const begin = await file.slice(0, 65_536).text();
	const url = /"url"\s*:\s*"([^"?]+)/.exec(begin)?.[1];
	// What it cannot be the server says, with all that it may be.
	return (url ?? '/v1/chat/completions') as Endpoint;
}

const stateTexts: Readonly<Record<BatchAnswer['status'] | 'paused', StudioKey>> = {
	validating: 'jobReading',
	in_progress: 'underWay',
	finalizing: 'jobWriting',
	completed: 'jobCompleted',
	failed: 'jobFailed',
	expired: 'jobExpired',
	cancelling: 'jobCancelling',
	cancelled: 'cancelled',
	paused: 'jobPaused',
};

type BatchRoute = (typeof routes)['cancelBatch' | 'pauseBatch' | 'resumeBatch' | 'retryBatch'];

function Batch({ batch, api }: { batch: BatchAnswer; api: StudioApi }): VNode {
	const { id, status, paused, request_counts: counts, progress, metadata } = batch;
	const name = metadata?.['name'] ?? id;
	const isOver = ended.has(status);
	const state = text(stateTexts[paused && !isOver ? 'paused' : status]);
	const items = isOver ? counts.completed + counts.failed : (progress?.items ?? 0);
	const change = (route: BatchRoute) =>
		attempt(async () => {
			await api.client.call(route, { params: { id } });
			await look(api);
		});
	const save = (file: string | null, kind: string) =>
		attempt(async () => {
			if (file === null) return;
			const answer = await api.client.open(routes.fileContent, { params: { id: file } });
			const link = document.createElement('a');
			link.href = URL.createObjectURL(await answer.blob());
			link.download = `${name.replace(/\.\w+$/, '').replace(/[^\p{L}\p{N}._ -]/gu, '')}.${kind}.jsonl`;
			link.click();
			setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
		});
	return (
		<article aria-label={name}>
			<header>
				<h2>{name}</h2>
				<span class="state">{state}</span>
			</header>
			<p class="note">
				{dateText(batch.created_at * 1000)} · {batch.endpoint} · {factsOf(batch)}
			</p>
			{!isOver && (
				<progress aria-label={`${name}: ${state}`} value={items} max={Math.max(1, counts.total)} />
			)}
			{batch.problem !== null && (
				<p class="error">
					{refusalText(batch.problem)}
					{batch.problem.until !== undefined &&
						` ${text('jobUntil', dateText(batch.problem.until * 1000))}`}
				</p>
			)}
			{batch.errors?.data.map((problem) => (
				<p class="error" key={problem.message}>
					{refusalText(problem)}
				</p>
			))}
			<div class="buttons">
				{!isOver && status !== 'cancelling' && (
					<>
						<button
							type="button"
							class="secondary"
							onClick={() => void change(paused ? routes.resumeBatch : routes.pauseBatch)}
						>
							{text(paused ? 'jobResume' : 'jobPause')}
						</button>
						<button type="button" class="secondary" onClick={() => void change(routes.cancelBatch)}>
							{text('jobCancel')}
						</button>
					</>
				)}
				{batch.output_file_id !== null && (
					<button
						type="button"
						class="secondary"
						onClick={() => void save(batch.output_file_id, 'output')}
					>
						{text('jobOutput')}
					</button>
				)}
				{batch.error_file_id !== null && (
					<button
						type="button"
						class="secondary"
						onClick={() => void save(batch.error_file_id, 'errors')}
					>
						{text('jobErrors')}
					</button>
				)}
				{isLeft(batch) && (
					<button type="button" class="secondary" onClick={() => void change(routes.retryBatch)}>
						{text('jobRetry')}
					</button>
				)}
			</div>
			{batch.error_file_id !== null && <Failed file={batch.error_file_id} api={api} />}
		</article>
	);
}

/** Whether something of an ended job has failed, or it did not come to it. */
const isLeft = ({ status, error_file_id: errors, request_counts: counts }: BatchAnswer): boolean =>
	errors !== null || (status === 'cancelled' && counts.completed < counts.total);

/** How much is done, how fast, and how long it takes. */
function factsOf({ request_counts: counts, progress, status }: BatchAnswer): string {
	const done = ended.has(status) ? counts.completed + counts.failed : (progress?.items ?? 0);
	const perSecond = progress?.items_per_second ?? 0;
	const rate = perSecond < 0.05 ? undefined : perSecond;
	const left = progress?.seconds_left ?? undefined;
	return [
		text('jobItems', numberText(done), numberText(counts.total)),
		...(counts.failed > 0 ? [text('jobFailedItems', numberText(counts.failed))] : []),
		...(rate === undefined ? [] : [text('jobRate', numberText(rate, 1))]),
		...(left === undefined || rate === undefined ? [] : [text('jobLeft', clockOf(left))]),
	].join(' · ');
}

/** `1:02:03`, `2:03`. */
function clockOf(seconds: number): string {
	const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
	const two = (value: number): string => String(value).padStart(2, '0');
	const tail = two(Math.floor(seconds % 60));
	return hours > 0 ? `${hours}:${two(minutes)}:${tail}` : `${minutes}:${tail}`;
}

function Failed({ file, api }: { file: string; api: StudioApi }): VNode {
	const items = useSignal<readonly FailedItem[] | undefined>(undefined);
	const open = () =>
		attempt(async () => {
			const answer = await api.client.open(routes.fileContent, { params: { id: file } });
			items.value = (await firstFailed(answer)).items;
		});
	return (
		<details
			onToggle={({ currentTarget }) => {
				if (currentTarget.open && items.value === undefined) void open();
			}}
		>
			<summary>{text('jobWhatFailed')}</summary>
			<ul class="failed">
				{items.value?.map(({ line, customId, ...refusal }) => (
					<li key={line}>
						<b>{text('jobLine', line, customId)}</b> {refusalText(refusal)}
					</li>
				))}
			</ul>
		</details>
	);
}
