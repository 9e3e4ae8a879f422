/**
 * The composition root of the daemon: everything that lives as long as it does is made here.
 *
 * To add a service: 1. write it in server/services with all its needs as parameters; 2. add a
 * readonly field to Backend; 3. construct it in createBackend from `host`, `log`, `metrics`.
 * To add a route: write registerXRoutes(app, backend) in server/http/xRoutes.ts and add it to
 * `families` in server/http/app.ts; throw AppError, read bodies with readJson, pass
 * `context.get('signal')` on.
 * To add a command: write server/cli/xCommand.ts exporting xCommand and add it to server/main.ts; get a
 * daemon with findOrStartDaemon() of server/daemon/findDaemon.ts.
 */

import { randomBytes, randomInt } from 'node:crypto';
import { join } from 'node:path';
import { DecodeQueue } from '../audio/decodeQueue.ts';
import { decodeInThread } from '../audio/threadedDecode.ts';
import { installedProviders, thisRuntime } from '../engine/devices/providers.ts';
import { systemGpuDeps } from '../engine/devices/system.ts';
import { TextThreadPool } from '../engine/text/textThreadPool.ts';
import type { JobService } from '../jobs/jobService.ts';
import { Ending } from '../net/ending.ts';
import type { Metrics } from '../net/metrics.ts';
import { totalMemory } from '../net/roughMemory.ts';
import { usableMemory } from '../net/usableMemory.ts';
import { sentenceOf } from '../protocol/index.ts';
import { type ChatService, createChatService } from '../services/chat/chatService.ts';
import type { LoadProfile } from '../services/chat/profile.ts';
import { daemonMetrics } from '../services/daemonMetrics.ts';
import { createGpuService, type GpuService } from '../services/gpuService.ts';
import type { People } from '../services/limits/payingPeople.ts';
import type { Logger } from '../services/logger.ts';
import type { ModelService } from '../services/modelService.ts';
import { observedChat } from '../services/observe/observedChat.ts';
import { renderPrompt } from '../services/observe/renderPrompt.ts';
import { RequestLog } from '../services/observe/requestLog.ts';
import { createTraces } from '../services/observe/traces.ts';
import type { AnswerStore } from '../services/responses/answerStore.ts';
import type { ConversationsService } from '../services/responses/conversationsService.ts';
import type { ResponsesService } from '../services/responses/responsesService.ts';
import { type ServerLoad, serverLoad } from '../services/serverLoad.ts';
import { voiceActivityOf } from '../services/speech/chooseVoiceActivity.ts';
import { type RealtimeLimits, realtimeLimits } from '../services/speech/realtime/realtimeLimits.ts';
import { RecorderSessions } from '../services/speech/recorderSessions.ts';
import { speechLimits } from '../services/speech/speechLimits.ts';
import {
	createSpeechService,
	type SpeechDeps,
	type SpeechService,
} from '../services/speech/speechService.ts';
import { StudioAccess } from '../services/studioAccess.ts';
import {
	type CompletionService,
	createCompletionService,
} from '../services/text/completionService.ts';
import {
	createEmbeddingService,
	type EmbeddingService,
} from '../services/text/embeddingService.ts';
import { createRerankService, type RerankService } from '../services/text/rerankService.ts';
import type { TranslateAccess } from '../services/translate/translateAccess.ts';
import type { CharacterMeter } from '../services/translate/translateLimits.ts';
import type { TranslateService } from '../services/translate/translateService.ts';
import { createUsageLog, type UsageLog } from '../services/usageLog.ts';
import { scratchIn } from '../store/scratch.ts';
import type { WorkBound } from '../work/workBound.ts';
import { type Activity, createActivity } from './activity.ts';
import { createAnswers } from './answersBackend.ts';
import { createModelBuilder } from './builderProcess.ts';
import { createDocuments, type HasDocuments } from './documentsBackend.ts';
import { broadcastingLogger, createEvents, type DaemonEvents } from './events.ts';
import { foldersInWorker } from './folderThread.ts';
import { createJobs, type JobsOptions } from './jobsBackend.ts';
import { watchLoop } from './loopWatch.ts';
import { thisMachine } from './machine.ts';
import { onFasterDevice } from './measuredDevice.ts';
import { createModelBackend, modelSettingsFile } from './modelBackend.ts';
import { createModelHost, type ModelHostOptions, type RunnerHost } from './modelHost.ts';
import { asLoaded, ModelIndex, type ModelRoot } from './modelIndex.ts';
import { createProfiles } from './modelProfile.ts';
import { NoticeBacklog } from './noticeBacklog.ts';
import { ownProcesses } from './ownProcesses.ts';
import { createPeople, type PeopleOptions } from './peopleBackend.ts';
import { removePreparedFiles } from './preparedFiles.ts';
import { collectWhenQuiet, type RequestWatch } from './quietHeap.ts';
import type { RunnerCommand } from './runnerProcess.ts';
import { builderCommandLine, runnerCommandLine, runnerThreads } from './runnerWall.ts';
import { Secrets } from './secrets.ts';
import { createShared, type Shared } from './sharedBackend.ts';
import { createTranslateBackend } from './translateBackend.ts';
import { createUpstreamBackend, type UpstreamBackend } from './upstreamBackend.ts';
import { openUsageFile } from './usageFile.ts';
import { VerdictFile } from './verdictFile.ts';

export interface BackendSettings {
	/** Folder of downloaded and own models. */
	readonly modelsDir: string;
	/** Whether that folder was named at the start, so that moving it is not ours to decide. */
	readonly modelsDirFixed?: boolean;
	/** Folder of the models that come with the product; `undefined` when there are none. */
	readonly builtInDir: string | undefined;
	/** Folder of the user's data: endpoint file, key store, caches. */
	readonly dataDir: string;
	/** Named pipe or Unix socket. */
	readonly pipePath: string;
	/** What this daemon proves itself with. */
	readonly proofSecret: string;
	readonly version: string;
	/** Started by a person, so it does not end by itself. */
	readonly persistent: boolean;
	/** Environment the daemon was started with. */
	readonly env: NodeJS.ProcessEnv;
	readonly models: ModelHostOptions;
	/** Further folders that downloads may be put below. */
	readonly modelRoots?: readonly string[];
	/** Facts of callers that become metric labels: `user` or keys of `metadata`. */
	readonly metricLabels: readonly string[];
	/** Limits of people, and who counts them. */
	readonly limits?: PeopleOptions | undefined;
	/** `redis://…`: what replicas share. */
	readonly shared?: string | undefined;
	/** Where batches lie, and how many of them are worked on at a time. */
	readonly jobs?: JobsOptions | undefined;
	/** Ends the daemon in good order. */
	stop(reason: string, drainMs?: number): void;
}

export interface Backend extends HasDocuments {
	readonly settings: BackendSettings;
	readonly host: RunnerHost;
	readonly models: ModelService;
	/** Folder of downloaded models at this moment. */
	modelsDir(): string;
	readonly gpus: GpuService;
	/** Keys and tokens that a front handed over; in memory only. */
	readonly secrets: Secrets;
	readonly log: Logger;
	readonly activity: Activity;
	/** Whether the daemon is about to end, for all that answer requests. */
	readonly ending: Ending;
	readonly events: DaemonEvents;
	/** What fronts have not heard yet. */
	readonly notices: NoticeBacklog;
	readonly metrics: Metrics;
	/** Those who watch over requests under way. */
	readonly watches: readonly RequestWatch[];
	readonly usage: UsageLog;
	/** Keys, limits and use of everybody who may ask for work. */
	readonly people: People;
	readonly chat: ChatService;
	/** Engines on other machines, used by name. */
	readonly upstreams: UpstreamBackend;
	/** The last requests to chat models, where the owner has switched that on. */
	readonly requestLog: RequestLog;
	/** What other replicas of this server know as well; `undefined` where there are none. */
	readonly shared: Shared | undefined;
	/** Kept responses and conversations. */
	readonly answers: AnswerStore;
	readonly responses: ResponsesService;
	readonly conversations: ConversationsService;
	/** Files and batches. */
	readonly jobs: JobService;
	readonly completions: CompletionService;
	readonly embeddings: EmbeddingService;
	readonly reranking: RerankService;
	/** What a model's files say about answering. */
	readonly profile: LoadProfile;
	readonly speech: SpeechService;
	readonly recordings: RecorderSessions;
	readonly realtimeLimits: RealtimeLimits;
	/** Pages that the owner has opened. */
	readonly studio: StudioAccess;
	readonly translation: TranslateService;
	readonly translatorAccess: TranslateAccess;
	readonly meter: CharacterMeter;
	/** Where documents wait, counted in characters. */
	readonly documentQueue: WorkBound;
	/** How much it has to do at this moment, for balancers. */
	load(): Promise<ServerLoad>;
	/** Removes what models that are gone and earlier versions have left behind. */
	sweep(): Promise<void>;
	/** Ends the daemon in good order. */
	stop(reason: string, drainMs?: number): void;
	close(): Promise<void>;
	/** Has on the disk what is written late. The last thing it does: requests count until they are over. */
	save(): Promise<void>;
}

export interface BackendDeps {
	readonly log: Logger;
	/** Command of a new runner; tests put their own in its place. */
	readonly runner?: () => RunnerCommand;
}

export function createBackend(settings: BackendSettings, deps: BackendDeps): Backend {
	// Before any file is opened.
	const notices = new NoticeBacklog();
	const events = createEvents();
	const log = broadcastingLogger(deps.log, events);
	const chosen = modelSettingsFile(settings.dataDir);
	const modelsDir = () =>
		settings.modelsDirFixed
			? settings.modelsDir
			: (chosen.value.modelsFolder ?? settings.modelsDir);
	const builtIn: ModelRoot[] =
		settings.builtInDir === undefined ? [] : [{ folder: settings.builtInDir, origin: 'built-in' }];
	const registered = (): ModelRoot[] =>
		chosen.value.registered.map((folder) => ({ folder, origin: 'local', mayBeModel: true }));
	const modelRoots = settings.modelRoots ?? [];
	const secrets = new Secrets();
	const verdicts = new VerdictFile(settings.dataDir);
	const forgetGone = () =>
		verdicts.forgetGone().catch((error) => {
			log.warn('what was found of models that are gone is still kept', {
				reason: sentenceOf(error),
			});
		});
	const providers = installedProviders(thisRuntime());
	const gpus = createGpuService(systemGpuDeps(), chosen, (name) => providers.has(name));
	const loadTimes = openUsageFile(
		join(settings.dataDir, 'load-times.json'),
		{ holds: 'How long models took to load' },
		(error) => log.warn('load times are not kept', { error: sentenceOf(error) }),
	);
	const index = new ModelIndex(
		() => [
			{ folder: modelsDir(), origin: 'local' },
			...modelRoots.map((folder): ModelRoot => ({ folder, origin: 'local' })),
			...builtIn,
			...registered(),
		],
		async (folder) =>
			asLoaded(await foldersInWorker.describe(folder), settings.models.load?.contextLength),
	);
	const ownProcess = ownProcesses(settings);
	const models = createModelHost(settings.models, {
		index,
		loadOptions: () => ({ deviceId: chosen.value.gpuDevice }),
		isPinned: (id) => chosen.value.pinned.includes(id),
		loadTimes,
		draftOf: (id) => chosen.value.drafts?.[id],
		hasProvider: (provider) => providers.has(provider),
		openText: (folder, model) =>
			new TextThreadPool({
				folder,
				model,
				chatTemplate: settings.models.load?.chatTemplate,
				deadlineMs: settings.models.load?.textDeadlineMs,
			}),
		runner:
			deps.runner ??
			(() =>
				ownProcess(() =>
					runnerCommandLine(runnerThreads(settings.env), settings.dataDir, thisMachine().tmp),
				)),
		verdicts,
		freeBytes: async (provider) => (await gpus.freeBytes(provider)) ?? (await usableMemory()),
		totalBytes: async (provider) => (await gpus.totalBytes(provider)) ?? totalMemory(),
		log,
	});
	const host =
		settings.models.device === 'auto'
			? onFasterDevice(models, { ...settings, index, gpus, providers, log })
			: models;
	const metrics = daemonMetrics();
	const profile = createProfiles(
		(folder) => index.stampOf(folder),
		settings.models.load?.chatTemplate,
		foldersInWorker.profile,
	);
	const randomSeed = () => randomInt(2 ** 32);
	const randomSecret = () => randomBytes(24).toString('base64url');
	const decoding = new DecodeQueue();
	const scratch = scratchIn(settings.dataDir);
	const upstreams = createUpstreamBackend(settings.dataDir, settings.env, secrets);
	const speechDeps: SpeechDeps = {
		host,
		limits: speechLimits(settings.env),
		checkRoom: () => decoding.checkRoom(),
		decode: (path, maximumS, signal) =>
			decodeInThread(path, { maximumS, queue: decoding, scratch }, signal),
		activity: voiceActivityOf,
		randomSeed,
	};
	const speech = upstreams.withSpeech(createSpeechService(speechDeps), speechDeps);
	host.onChange(({ model, state }) => {
		events.emit({ type: 'model', model, state });
		if (state === 'loading') metrics.count('nearglot_model_loads_total', { model });
	});
	const modelBackend = createModelBackend(
		{
			modelsDir,
			dataDir: settings.dataDir,
			env: settings.env,
			defaultTtlS: settings.models.defaultTtlS,
			modelRoots,
			log,
			builder: createModelBuilder({
				command: (folder) => ownProcess(() => builderCommandLine(settings.env, folder)),
				log,
			}),
			onGone: forgetGone,
		},
		host,
		chosen,
		gpus,
		secrets,
		events,
	);
	const requestLog = new RequestLog({
		now: () => Date.now(),
		render: (model, request, omitted, signal) =>
			renderPrompt(host, model, request, omitted, signal, profile),
	});
	const { env, version } = settings;
	const traces = createTraces({ env, version, log, now: () => Date.now() });
	const plainChat = createChatService({
		...{ host, profile, randomSeed },
		randomId: () => randomBytes(12).toString('hex'),
	});
	const observers = traces.observer === undefined ? [] : [traces.observer];
	const chat = observedChat(upstreams.withChat(plainChat), [requestLog, ...observers]);
	const shared = createShared(settings.shared, settings.dataDir, log);
	const countRefusal = (limit: string) => metrics.count('nearglot_limit_refusals_total', { limit });
	const people = createPeople(settings, log, countRefusal, shared?.link);
	const ending = new Ending();
	const activity = createActivity();
	const jobs = createJobs(settings, log, activity, ending.announced);
	const { answers, responses, conversations } = createAnswers(settings, {
		...{ chat, activity, log, shared },
	});
	shared?.start({ people, answers, jobs, responses }, ending);
	const { usage: keyUsage, ...translate } = createTranslateBackend(
		settings,
		host,
		secrets,
		modelBackend.models.downloads,
		{ chat, keys: people.keys, upstreams },
		log,
	);
	return {
		...{ settings, host, modelsDir, gpus },
		models: modelBackend.models,
		...{ secrets, log },
		activity,
		ending,
		events,
		notices,
		metrics,
		watches: [watchLoop(metrics), collectWhenQuiet()],
		usage: createUsageLog(log, metrics, settings.metricLabels),
		...{ people, profile },
		shared,
		completions: upstreams.withCompletions(createCompletionService({ host, profile, randomSeed })),
		embeddings: upstreams.withEmbeddings(createEmbeddingService(host)),
		reranking: upstreams.withReranking(createRerankService(host)),
		...{ chat, upstreams, requestLog, answers, responses, jobs },
		...createDocuments(env, jobs),
		conversations,
		...translate,
		load: async () => serverLoad(await host.stats(), [decoding]),
		speech,
		realtimeLimits: realtimeLimits(speech.limits.maximumS),
		recordings: new RecorderSessions({
			scratch,
			speech,
			randomId: () => randomBytes(12).toString('hex'),
			randomSecret,
		}),
		studio: new StudioAccess({ randomSecret, now: () => performance.now() }),
		sweep: async () => {
			await forgetGone();
			const { builtInDir } = settings;
			const own = [modelsDir(), ...(builtInDir === undefined ? [] : [builtInDir])];
			const removed = await removePreparedFiles(own);
			if (removed.length > 0)
				log.info('rewritten graphs of earlier versions removed', { count: removed.length });
			const left = await modelBackend.removeOldUnfinished();
			if (left.length > 0)
				log.info('unfinished downloads and builds removed', {
					count: left.length,
					bytes: left.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
				});
		},
		stop: settings.stop,
		close: async () => {
			await jobs.close();
			await responses.end();
			await modelBackend.close();
			await host.close();
			await people.book.flush();
			await answers.close();
			await traces.close();
			await shared?.rest();
			notices[Symbol.dispose]();
		},
		save: async () =>
			void (await Promise.all([keyUsage.save(), loadTimes.save(), people.close(shared)])),
	};
}
