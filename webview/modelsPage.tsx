/** Models of the studio page as cards: those on this computer, those that can be added, and what they do now. */

import { numberText, sizeText } from './numberText.ts';
import './modelsPage.css';
import { type Signal, signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { AppError, type BuiltLoss, type ModelInfo } from '../server/protocol/index.ts';
import { DownloadBar } from './downloadBar.tsx';
import { errorText } from './errorText.ts';
import { HubSearch } from './hubSearch.tsx';
import { isMember } from './signedInPerson.ts';
import type { ModelStats, StudioApi } from './studioApi.ts';
import { download, downloadProblem, downloads, licenceAccepted } from './studioDownloads.ts';
import { addressOf } from './studioRoute.ts';
import { type StudioKey, text } from './studioText.ts';

/** Milliseconds between two looks at the states. */
const everyMs = 3000;

interface PageModels {
	readonly models: Signal<readonly ModelInfo[]>;
	readonly stats: Signal<readonly ModelStats[]>;
	/** Whether the owner has opened this page, so that models may be added and removed. */
	readonly mayChange: Signal<boolean>;
	readonly problem: Signal<string>;
	/** Bytes of memory, and of memory that a thread copies in a second; `undefined` until they are known. */
	readonly machine: Signal<{ memoryBytes: number; bytesPerSecond: number } | undefined>;
	/** The task whose models are shown; empty: all. */
	readonly task: Signal<ModelInfo['task'] | ''>;
}

const state: PageModels = {
	models: signal([]),
	stats: signal([]),
	mayChange: signal(true),
	problem: signal(''),
	machine: signal(undefined),
	task: signal(''),
};

export function ModelsPage({ api }: { api: StudioApi }): VNode {
	const { models, problem, mayChange, stats, task } = state;
	const look = useMemo(() => () => refresh(api), [api]);
	useEffect(() => {
		void look();
		const timer = setInterval(look, everyMs);
		if (api.hasAccess && !state.machine.value)
			api.machine().then(
				(machine) => {
					state.machine.value = machine;
				},
				// Without it, cards do not say how fast a model would be.
				() => undefined,
			);
		return () => clearInterval(timer);
	}, [look, api]);
	const wanted = models.value.filter((model) => task.value === '' || model.task === task.value);
	const here = wanted.filter(({ state: now }) => now !== 'not-downloaded' && now !== 'remote');
	const elsewhere = wanted.filter(({ state: now }) => now === 'remote');
	const seen = new Set<string>();
	// A model is in the catalogue once per device; its alias stands for the one that suits this computer.
	const others = wanted.filter(({ state: now, alias }) => {
		if (now !== 'not-downloaded' || seen.has(alias)) return false;
		seen.add(alias);
		return true;
	});
	const problems = [problem.value, downloadProblem.value].filter((one) => one !== '');
	return (
		<section class="tool" aria-label={text('models')}>
			{problems.map((one) => (
				<p class="error" role="alert" key={one}>
					{one}
				</p>
			))}
			<Tasks />
			<Cards title={text('here')} models={here} api={api} />
			{elsewhere.length > 0 && (
				<>
					<Cards title={text('elsewhere')} models={elsewhere} api={api} />
					<p class="note">{text('elsewhereNote')}</p>
				</>
			)}
			{!mayChange.value && <p class="note">{text(isMember() ? 'ownersModels' : 'keyNeeded')}</p>}
			{stats.value.length > 0 && <Metrics stats={stats.value} />}
			{others.length > 0 && <Cards title={text('catalogue')} models={others} api={api} />}
			{mayChange.value && (
				<HubSearch
					api={api}
					downloadOf={(repository) => downloads.value.get(repository)}
					onStop={(repository) => downloads.value.get(repository)?.stop.abort()}
					onAdd={(repository, licence) => {
						if (licenceAccepted(repository, licence))
							void download(api, repository).then((came) => (came ? refresh(api) : undefined));
					}}
				/>
			)}
		</section>
	);
}

/** Which kind of models is shown. */
function Tasks(): VNode {
	const there = new Set(state.models.value.map(({ task }) => task));
	const tasks = (Object.keys(taskKeys) as ModelInfo['task'][]).filter((task) => there.has(task));
	return (
		<fieldset class="chips" aria-label={text('forWhat')}>
			{(['', ...tasks] as const).map((task) => (
				<button
					key={task}
					type="button"
					class="chip"
					aria-pressed={state.task.value === task}
					onClick={() => {
						state.task.value = task;
					}}
				>
					{task === '' ? text('all') : text(taskKeys[task])}
				</button>
			))}
		</fieldset>
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

function Cards(props: { title: string; models: readonly ModelInfo[]; api: StudioApi }): VNode {
	return (
		<section class="models" aria-label={props.title}>
			<h2>{props.title}</h2>
			<ul>
				{props.models.map((model) => (
					<Card key={model.id} model={model} api={props.api} />
				))}
			</ul>
		</section>
	);
}

const stateKeys: Record<ModelInfo['state'], StudioKey> = {
	'not-downloaded': 'stateMissing',
	downloading: 'stateDownloading',
	cached: 'stateCached',
	loading: 'stateLoading',
	loaded: 'stateLoaded',
	remote: 'stateRemote',
};

const taskKeys: Record<ModelInfo['task'], StudioKey> = {
	'chat-completion': 'chat',
	translation: 'translation',
	'automatic-speech-recognition': 'speech',
	'text-generation': 'completion',
	embeddings: 'embeddings',
	rerank: 'rerank',
	'text-classification': 'classification',
	'speaker-segmentation': 'speakers',
	'speaker-embedding': 'speakers',
	'voice-activity-detection': 'voice',
};

function Card({ model, api }: { model: ModelInfo; api: StudioApi }): VNode {
	const coming = downloads.value.get(model.id);
	const isHere = model.state !== 'not-downloaded';
	const size = sizeOf(model);
	const facts = [
		size,
		model.contextLength === undefined ? '' : text('contextOf', numberText(model.contextLength)),
		model.memoryBytes === undefined ? '' : text('inMemory', sizeText(model.memoryBytes)),
	].filter((fact) => fact !== '');
	return (
		<li class={`card ${model.state}`}>
			<header>
				<h3>{model.displayName}</h3>
				<span class="badge">{text(taskKeys[model.task])}</span>
			</header>
			<p class="note">
				{facts.join(' · ')}
				{model.loss !== undefined && <> · {lossText(model.loss)}</>}
			</p>
			<p class="note">
				{model.publisher} · {model.state === 'remote' ? model.id : <Licence model={model} />}
			</p>
			{!isHere && <Fit model={model} />}
			<footer>
				<span class={isHere ? 'state' : 'visually-hidden'}>{text(stateKeys[model.state])}</span>
				{coming && <DownloadBar name={model.displayName} shown={coming} />}
				<span class="buttons">{buttons(model, api)}</span>
			</footer>
		</li>
	);
}

function sizeOf({ sizeBytes, estimatedBytes }: ModelInfo): string {
	if (sizeBytes !== undefined) return sizeText(sizeBytes);
	return estimatedBytes === undefined ? '' : `≈ ${sizeText(estimatedBytes)}`;
}

/** The licence, with the page of the publisher where it can be read. */
function Licence({ model }: { model: ModelInfo }): VNode {
	const { license, parentModelUri } = model;
	if (parentModelUri === undefined || license === '') return <>{license || model.id}</>;
	return (
		<a href={`https://huggingface.co/${parentModelUri}`} target="_blank" rel="noopener noreferrer">
			{license}
		</a>
	);
}

/** Whether a model has room in this computer's memory, and about how fast it would answer. */
function Fit({ model }: { model: ModelInfo }): VNode | null {
	const machine = state.machine.value;
	const bytes = model.sizeBytes ?? model.estimatedBytes;
	if (!machine || bytes === undefined) return null;
	const needed = bytes * 1.25 + 150e6;
	const share = needed / machine.memoryBytes;
	const [kind, key]: [string, StudioKey] =
		share < 0.4 ? ['good', 'fits'] : share < 0.75 ? ['tight', 'fitsTight'] : ['bad', 'fitsNot'];
	const speed =
		model.task === 'chat-completion'
			? ` · ${text('speedOf', Math.max(1, Math.round(machine.bytesPerSecond / bytes)))}`
			: '';
	return (
		<p class={`fit ${kind}`}>
			{text(key, sizeText(needed))}
			{speed}
		</p>
	);
}

/** What a model has lost by being built. */
function lossText(loss: BuiltLoss): string {
	if (loss.measured === 'answers') return text('lostAnswers', numberText(100 * loss.sameToken));
	return loss.measured === 'weights'
		? text('lostWeights', numberText(100 * loss.weightError, 1))
		: '';
}

function buttons(model: ModelInfo, api: StudioApi): VNode | null {
	const coming = downloads.value.get(model.id);
	const button = (key: StudioKey, run: () => unknown, first = false) => (
		<button
			type="button"
			class={first ? '' : 'secondary'}
			aria-label={`${text(key)}: ${model.displayName}`}
			onClick={() => void run()}
		>
			{text(key)}
		</button>
	);
	if (coming) return button('stop', () => coming.stop.abort());
	if (model.state === 'not-downloaded') {
		return state.mayChange.value ? button('add', () => add(api, model), true) : null;
	}
	if (model.state === 'downloading') return null;
	const loaded = model.state === 'loaded';
	const verb = loaded ? 'unload' : 'load';
	const removable =
		state.mayChange.value && !/^(?:built-in|upstream)$/.test(model.origin) && !loaded;
	return (
		<>
			{model.task === 'chat-completion' && (
				<a
					class="button"
					href={addressOf('chat', `with/${encodeURIComponent(model.id)}`)}
					aria-label={`${text('chatWith')}: ${model.displayName}`}
				>
					{text('chatWith')}
				</a>
			)}
			{!isMember() &&
				model.state !== 'remote' &&
				button(verb, () => attempt(api, () => api.setLoaded(model.id, !loaded)))}
			{!isMember() &&
				removable &&
				button('remove', () => {
					if (!confirm(text('removeSure', model.displayName))) return undefined;
					return attempt(api, () => api.removeModel(model.id));
				})}
		</>
	);
}

async function add(api: StudioApi, model: ModelInfo): Promise<void> {
	if (!licenceAccepted(model.displayName, model.license)) return;
	if (await download(api, model.alias, model.id)) await refresh(api);
}

async function attempt(api: StudioApi, work: () => Promise<unknown>): Promise<void> {
	try {
		await work();
		await refresh(api);
	} catch (error) {
		state.problem.value = errorText(error);
	}
}

/** What the loaded models do now and have done; for those who look after the server. */
function Metrics({ stats }: { stats: readonly ModelStats[] }): VNode {
	return (
		<details class="metrics">
			<summary>{text('metrics')}</summary>
			<dl>
				{stats.map(({ model, stats: now }) => (
					<div key={model}>
						<dt>{model}</dt>
						<dd>
							{text('running', now.running, now.waiting)} ·{' '}
							{text(
								'read',
								numberText(now.promptTokensTotal),
								numberText(now.cachedTokensTotal),
								numberText(now.generatedTokensTotal),
							)}{' '}
							· {now.executionProvider} · {sizeText(now.residentBytes)}
						</dd>
					</div>
				))}
			</dl>
		</details>
	);
}
