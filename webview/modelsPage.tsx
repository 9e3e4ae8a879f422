/** Models of the studio page: those on this computer, those that can be added, and what they do now. */

import { type Signal, signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { AppError, type BuiltLoss, type ModelInfo } from '../server/protocol/index.ts';
import { errorText } from './errorText.ts';
import { HubSearch } from './hubSearch.tsx';
import { isMember } from './signedInPerson.ts';
import type { ModelStats, StudioApi } from './studioApi.ts';
import { type StudioKey, text } from './studioText.ts';

/** Milliseconds between two looks at the states. */
const everyMs = 3000;

interface PageModels {
	readonly models: Signal<readonly ModelInfo[]>;
	readonly stats: Signal<readonly ModelStats[]>;
	/** Whether the owner has opened this page, so that models may be added and removed. */
	readonly mayChange: Signal<boolean>;
	readonly problem: Signal<string>;
	/** Share that has come of each download, 0…1. */
	readonly downloads: Signal<ReadonlyMap<string, { share: number; stop: AbortController }>>;
}

/** Downloads go on while other tools are shown. */
const state: PageModels = {
	models: signal([]),
	stats: signal([]),
	mayChange: signal(true),
	problem: signal(''),
	downloads: signal(new Map()),
};

export function ModelsPage({ api }: { api: StudioApi }): VNode {
	const { models, problem, mayChange, stats } = state;
	const look = useMemo(() => () => refresh(api), [api]);
	useEffect(() => {
		void look();
		const timer = setInterval(look, everyMs);
		return () => clearInterval(timer);
	}, [look]);
	const here = models.value.filter(({ state: now }) => now !== 'not-downloaded');
	const seen = new Set<string>();
	// A model is in the catalogue once per device; its alias stands for the one that suits this computer.
	const others = models.value.filter(({ state: now, alias }) => {
		if (now !== 'not-downloaded' || seen.has(alias)) return false;
		seen.add(alias);
		return true;
	});
	return (
		<section class="tool" aria-label={text('models')}>
			{problem.value !== '' && (
				<p class="error" role="alert">
					{problem.value}
				</p>
			)}
			<Table title={text('here')} models={here} api={api} />
			{!mayChange.value && <p class="note">{text(isMember() ? 'ownersModels' : 'keyNeeded')}</p>}
			{stats.value.length > 0 && <Metrics stats={stats.value} />}
			{others.length > 0 && <Table title={text('catalogue')} models={others} api={api} />}
			{mayChange.value && (
				<HubSearch
					api={api}
					shareOf={(repository) => state.downloads.value.get(repository)?.share}
					onAdd={(repository) => void add(api, { id: repository, alias: repository })}
				/>
			)}
		</section>
	);
}

async function refresh(api: StudioApi): Promise<void> {
	try {
		if (!api.hasAccess) {
			state.mayChange.value = false;
			state.models.value = await api.models();
			state.problem.value = '';
			return;
		}
		const { models, stats } = await api.allModels();
		state.models.value = models;
		state.stats.value = stats;
		state.mayChange.value = true;
		state.problem.value = '';
	} catch (error) {
		if (error instanceof AppError && error.code === 'invalid_api_key') {
			state.mayChange.value = false;
			state.models.value = await api.models().catch(() => []);
		} else state.problem.value = errorText(error);
	}
}

function Table(props: { title: string; models: readonly ModelInfo[]; api: StudioApi }): VNode {
	return (
		<table class="models">
			<caption>{props.title}</caption>
			<thead>
				<tr>
					<th scope="col">{text('model')}</th>
					<th scope="col">{text('forWhat')}</th>
					<th scope="col">{text('size')}</th>
					<th scope="col">{text('context')}</th>
					<th scope="col">{text('state')}</th>
					<th scope="col">
						<span class="visually-hidden">{text('actions')}</span>
					</th>
				</tr>
			</thead>
			<tbody>
				{props.models.map((model) => (
					<Row key={model.id} model={model} api={props.api} />
				))}
			</tbody>
		</table>
	);
}

const stateKeys: Record<ModelInfo['state'], StudioKey> = {
	'not-downloaded': 'stateMissing',
	downloading: 'stateDownloading',
	cached: 'stateCached',
	loading: 'stateLoading',
	loaded: 'stateLoaded',
};

const taskKeys: Record<ModelInfo['task'], StudioKey> = {
	'chat-completion': 'chat',
	'text-generation': 'completion',
	translation: 'translation',
	'automatic-speech-recognition': 'speech',
	embeddings: 'embeddings',
	rerank: 'rerank',
	'voice-activity-detection': 'voice',
};

function Row({ model, api }: { model: ModelInfo; api: StudioApi }): VNode {
	const download = state.downloads.value.get(model.id);
	const memory = model.memoryBytes === undefined ? '' : ` · ${size(model.memoryBytes)}`;
	return (
		<tr>
			<th scope="row">
				{model.displayName} <span class="note">{model.license ?? model.id}</span>
				{model.loss !== undefined && <span class="note"> {lossText(model.loss)}</span>}
			</th>
			<td>{text(taskKeys[model.task])}</td>
			<td>{model.sizeBytes === undefined ? '' : size(model.sizeBytes)}</td>
			<td data-name={text('context')}>{model.contextLength?.toLocaleString() ?? ''}</td>
			<td>
				{download ? (
					<progress
						aria-label={text('download', model.displayName, Math.floor(100 * download.share))}
						value={download.share}
						max={1}
					/>
				) : (
					text(stateKeys[model.state]) + memory
				)}
			</td>
			<td class="buttons">{buttons(model, api)}</td>
		</tr>
	);
}

/** What a model has lost by being built. */
function lossText(loss: BuiltLoss): string {
	if (loss.measured === 'answers') return text('lostAnswers', (100 * loss.sameToken).toFixed(0));
	return loss.measured === 'weights'
		? text('lostWeights', (100 * loss.weightError).toFixed(1))
		: '';
}

function buttons(model: ModelInfo, api: StudioApi): VNode | null {
	const download = state.downloads.value.get(model.id);
	const button = (key: StudioKey, run: () => unknown) => (
		<button
			type="button"
			class="secondary"
			aria-label={`${text(key)}: ${model.displayName}`}
			onClick={() => void run()}
		>
			{text(key)}
		</button>
	);
	if (download) return button('stop', () => download.stop.abort());
	if (model.state === 'not-downloaded') {
		return state.mayChange.value ? button('add', () => add(api, model)) : null;
	}
	if (model.state === 'downloading' || isMember()) return null;
	const loaded = model.state === 'loaded';
	const verb = loaded ? 'unload' : 'load';
	const removable = state.mayChange.value && model.origin !== 'built-in' && !loaded;
	return (
		<>
			{button(verb, () => attempt(api, () => api.setLoaded(model.id, !loaded)))}
			{removable &&
				button('remove', () => {
					if (!confirm(text('removeSure', model.displayName))) return undefined;
					return attempt(api, () => api.removeModel(model.id));
				})}
		</>
	);
}

async function add(api: StudioApi, model: Pick<ModelInfo, 'id' | 'alias'>): Promise<void> {
	const stop = new AbortController();
	const showShare = (share: number | undefined) => {
		const next = new Map(state.downloads.value);
		if (share === undefined) next.delete(model.id);
		else next.set(model.id, { share, stop });
		state.downloads.value = next;
	};
	showShare(0);
	try {
		await api.download(model.alias, showShare, stop.signal);
	} catch (error) {
		if (!stop.signal.aborted) state.problem.value = errorText(error);
	} finally {
		showShare(undefined);
	}
	if (state.problem.value === '') await refresh(api);
}

async function attempt(api: StudioApi, work: () => Promise<unknown>): Promise<void> {
	try {
		await work();
		await refresh(api);
	} catch (error) {
		state.problem.value = errorText(error);
	}
}

/** What the loaded models do now and have done. */
function Metrics({ stats }: { stats: readonly ModelStats[] }): VNode {
	return (
		<dl class="metrics" aria-label={text('metrics')}>
			{stats.map(({ model, stats: now }) => (
				<div key={model}>
					<dt>{model}</dt>
					<dd>
						{text('running', now.running, now.waiting)} ·{' '}
						{text(
							'read',
							now.promptTokensTotal.toLocaleString(),
							now.cachedTokensTotal.toLocaleString(),
							now.generatedTokensTotal.toLocaleString(),
						)}{' '}
						· {now.executionProvider} · {size(now.residentBytes)}
					</dd>
				</div>
			))}
		</dl>
	);
}

function size(bytes: number): string {
	return bytes >= 1e9
		? `${(bytes / 1e9).toFixed(1)} GB`
		: `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
}
