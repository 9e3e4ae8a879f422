/** Loads a model folder and puts its parts together: the only place of the engine that constructs. */

import { basename } from 'node:path';
import { modelFile } from '../hub/modelFile.ts';
import { defined } from '../protocol/defined.ts';
import { AppError, type ModelNotice } from '../protocol/index.ts';
import type { EngineModel, LoadOptions, TextModel, Verdict } from './api.ts';
import type { Decoder } from './decode/decoder.ts';
import { type LoadDecoderOptions, loadDecoder } from './decode/loadDecoder.ts';
import { loadEmbedder, usualEmbedLimits } from './embed/embedder.ts';
import { GrammarThreads } from './grammar/grammarThreads.ts';
import { describeModel } from './modelFiles/describe.ts';
import { generationSettings } from './modelFiles/generationSettings.ts';
import { sessionSettings } from './modelFiles/sessionSettings.ts';
import { readChatTemplate } from './modelFiles/templateFile.ts';
import { chooseVariant } from './modelFiles/variants.ts';
import { exactNotice } from './onnx/exactActivations.ts';
import type { AdmissionQueue } from './queue/admission.ts';
import { noCounters } from './queue/noCounters.ts';
import {
	type QueuedRequest,
	RequestQueue,
	usualLimits,
	type WaitingLimits,
} from './queue/requestQueue.ts';
import { defaultCacheBytes, residentBytes, trimMemory } from './runtime/processMemory.ts';
import { runtimeNotices } from './runtime/runtimeNotices.ts';
import { physicalCores } from './runtime/threads.ts';
import { DraftModelProposer } from './schedule/draftModelProposer.ts';
import { createGenerator } from './schedule/generator.ts';
import { loadDraft } from './schedule/loadDraft.ts';
import { Scheduler } from './schedule/scheduler.ts';
import type { Submission } from './schedule/schedulerOptions.ts';
import { alignmentHeads, chooseAlignment } from './seq2seq/alignment.ts';
import { countRuns } from './seq2seq/countedRuns.ts';
import { hasSourceLanguageTags } from './seq2seq/encoderAlignment.ts';
import type { EncoderDecoder } from './seq2seq/encoderDecoder.ts';
import { openEncoderDecoder } from './seq2seq/openEncoderDecoder.ts';
import type { CallQueue } from './seq2seq/translationQueue.ts';
import { Translator, usualTranslationLimits } from './seq2seq/translator.ts';
import { openSpeech, usualSpeechLimits } from './speech/openSpeech.ts';
import { findSilero, openSilero } from './speech/silero.ts';
import { speakerCapabilities } from './speech/speakers/speakerCapabilities.ts';
import type { EngineStats } from './stats.ts';
import { reasoningTagsOf } from './template/reasoning.ts';
import { loadToolFormat } from './template/toolFormat.ts';
import { loadTextModel } from './text/textModel.ts';
import { TextReader } from './text/textReader.ts';
import { TextThreadPool } from './text/textThreadPool.ts';
import { openRuntime } from './verify/openRuntime.ts';
import { Verdicts } from './verify/verdict.ts';
import type { ImageReader } from './vision/imageReader.ts';
import { openVision } from './vision/openVision.ts';

/** Models below this run on one thread, without leaving it. */
const smallBytes = 24 << 20;

/** What one kind of model can do; everything else is refused. */
type Capabilities = Partial<
	Pick<
		EngineModel,
		| 'generate'
		| 'expect'
		| 'seq2seq'
		| 'transcribe'
		| 'voiceActivity'
		| 'segmentSpeakers'
		| 'embedVoice'
		| 'embed'
		| 'rerank'
	>
> & {
	/** Figures of the moment. */
	readonly counters: () => Omit<
		EngineStats,
		'task' | 'runtime' | 'executionProvider' | 'precision' | 'residentBytes' | 'notices'
	>;
	readonly close: () => Promise<void>;
};

/**
 * Loads a model.
 * @param onVerdict called with what comparing rewritten graphs has found, for the next load
 * @throws AppError `unsupported_model` naming the file and the fault, `out_of_memory`, `not_supported`
 */
export async function loadEngine(
	options: LoadOptions,
	onVerdict?: (found: Verdict) => void,
): Promise<EngineModel> {
	const description = await describeModel(options.folder);
	if (description.problems.length > 0) {
		throw new AppError('unsupported_model', description.problems.join(' '));
	}
	const variant = chooseVariant(
		description.variants,
		description.architecture,
		options.precision,
		options.label,
	);
	if (variant === undefined) {
		const known = [...new Set(description.variants.map(({ precision }) => precision))].join(', ');
		throw new AppError(
			'unsupported_model',
			`The model in ${options.folder} has no ${options.precision ?? 'loadable'} variant; it has: ${known || 'none'}.`,
			{ param: 'precision' },
		);
	}
	const runtime = await openRuntime(options.plainRuntime === true ? true : undefined);
	const executionProvider = options.executionProvider ?? 'cpu';
	const settings = await sessionSettings(options.folder);
	const notices: ModelNotice[] = runtimeNotices(runtime);
	const onNotice = (message: string): void => void notices.push({ kind: 'note', message });
	if (settings.note !== undefined) onNotice(settings.note);
	const session = {
		config: settings.config,
		// Several threads only wait for each other on a few megabytes.
		threads:
			options.threads ?? settings.threads ?? (variant.sizeBytes < smallBytes ? 1 : physicalCores()),
		isSmall: variant.sizeBytes < smallBytes,
		executionProvider,
		...defined({ deviceId: options.deviceId, exact: options.exact }),
	};
	if (options.exact === true) {
		const paths = Object.values(variant.files).map((file) => modelFile(options.folder, file));
		onNotice(await exactNotice(await Promise.all(paths), executionProvider === 'cpu'));
	}
	const contextLength = Math.min(
		options.contextLength ?? description.contextLength,
		description.contextLength,
	);
	const threads = new TextThreadPool({
		folder: options.folder,
		model: options.modelName ?? basename(options.folder),
		chatTemplate: options.chatTemplate,
		deadlineMs: options.textDeadlineMs,
	});
	const waitingLimits = defined({ maxWaiting: options.maxWaiting });
	const capabilities = await loadCapabilities().catch(async (error) => {
		await threads.close();
		throw error;
	});
	const refuse = (what: string) => async (): Promise<never> => {
		throw new AppError(
			'unsupported_model',
			`This model (${description.family}) is for ${description.task}; it cannot ${what}.`,
			{ param: 'model' },
		);
	};
	return {
		description,
		generate: capabilities.generate ?? refuse('generate text'),
		...defined({ expect: capabilities.expect }),
		seq2seq: capabilities.seq2seq ?? refuse('translate'),
		transcribe: capabilities.transcribe ?? refuse('transcribe'),
		voiceActivity: capabilities.voiceActivity ?? refuse('find speech'),
		segmentSpeakers: capabilities.segmentSpeakers ?? refuse('tell speakers apart'),
		embedVoice: capabilities.embedVoice ?? refuse('make vectors of voices'),
		embed: capabilities.embed ?? refuse('make embeddings'),
		rerank: capabilities.rerank ?? refuse('judge documents'),
		stats: async () => ({
			task: description.task,
			runtime: runtime.kind,
			executionProvider,
			precision: variant.precision,
			residentBytes: residentBytes(),
			notices,
			...capabilities.counters(),
		}),
		close: async () => {
			await capabilities.close();
			await threads.close();
			await trimMemory();
		},
	};

	async function loadCapabilities(): Promise<Capabilities> {
		if (description.architecture === 'audio')
			return speakerCapabilities({
				...{ description, runtime, session },
				variant: variant as NonNullable<typeof variant>,
			});
		const text = await loadTextModel(description.folder, options.chatTemplate);
		const parts = {
			text,
			reader: new TextReader(text, threads),
			description,
			variant: variant as NonNullable<typeof variant>,
			runtime,
			session,
			verdicts: new Verdicts(options.verdicts, onVerdict),
		};
		if (description.architecture === 'decoder') {
			// Begins while the weights are read; what is wrong is said when it is asked for.
			threads.request('warm', { texts: [] }).catch(() => {});
			if (description.seesImages === true) {
				const { decoder, images } = await openVision({ ...parts, contextLength });
				return decoderCapabilities(parts, decoder, contextLength, options, images);
			}
			const decoder = await loadDecoder({ ...parts, contextLength, onNotice });
			return decoderCapabilities(parts, decoder, contextLength, options);
		}
		if (description.architecture === 'encoder-decoder') {
			const model = await openEncoderDecoder({
				...parts,
				shortlist: options.vocabularyShortlist !== false,
				...(description.task === 'automatic-speech-recognition' ? { encoderBatchSize: 1 } : {}),
				onNotice,
			});
			return description.task === 'automatic-speech-recognition'
				? speechCapabilities(parts, model, waitingLimits)
				: translationCapabilities(parts, model, contextLength);
		}
		if (description.architecture === 'encoder') {
			const queue: AdmissionQueue = new RequestQueue({ ...usualEmbedLimits, ...waitingLimits });
			const embedder = await loadEmbedder({ ...parts, queue, onNotice });
			return {
				...(description.task === 'rerank'
					? { rerank: (request, signal) => embedder.rerank(request, signal) }
					: { embed: (request, signal) => embedder.embed(request, signal) }),
				counters: () => ({
					...noCounters,
					...queueCounters(queue),
					running: embedder.counters.running,
					promptTokensTotal: embedder.counters.promptTokens,
				}),
				close: async () => embedder.close(),
			};
		}
		throw new AppError('unsupported_model', `${description.architecture} models cannot be loaded.`);
	}
}

/** What every kind of request tells of its queue. */
function queueCounters<T extends QueuedRequest>({ size, totals }: RequestQueue<T>) {
	return {
		waiting: size,
		admittedTotal: totals.admitted,
		refusedTotal: totals.refused,
		waitedMsTotal: totals.waitedMs,
	};
}

async function speechCapabilities(
	parts: Parts,
	model: EncoderDecoder,
	waitingLimits: WaitingLimits,
): Promise<Capabilities> {
	const { description, runtime, text, reader } = parts;
	const detector = await findSilero(description.folder);
	const silero = detector === undefined ? undefined : await openSilero(runtime, detector);
	const { folder, family } = description;
	const counted = countRuns(model);
	const queue: AdmissionQueue = new RequestQueue({ ...usualSpeechLimits, ...waitingLimits });
	const bytes = defaultCacheBytes();
	const speech = await openSpeech(folder, family, counted.model, text, bytes, reader, queue);
	return {
		transcribe: (request, onText, signal) => speech.transcribe(request, onText, signal),
		voiceActivity: async (request, signal) => {
			if (silero !== undefined) return silero.detect(request, signal);
			throw new AppError('not_supported', 'There is no voice-activity model beside this model.');
		},
		counters: () => ({
			...noCounters,
			...queueCounters(queue),
			running: speech.running,
			openSequences: counted.openSequences(),
		}),
		close: async () => {
			await speech.close();
			silero?.close();
			model.close();
		},
	};
}

async function translationCapabilities(
	parts: Parts,
	model: EncoderDecoder,
	contextLength: number,
): Promise<Capabilities> {
	const { description, text, reader } = parts;
	const settings = await generationSettings(description.folder);
	const alignment = chooseAlignment(
		await alignmentHeads(description.folder),
		model.attentionLayers,
		hasSourceLanguageTags(text),
	);
	const { model: counted, openSequences } = countRuns(model);
	const queue: CallQueue = new RequestQueue(usualTranslationLimits);
	const translator = new Translator({
		queue,
		model: counted,
		text,
		reader,
		settings,
		contextLength,
		alignment,
	});
	return {
		seq2seq: (request, signal) => translator.run(request, signal),
		counters: () => ({
			...noCounters,
			...queueCounters(queue),
			running: translator.counters.running,
			openSequences: openSequences(),
			promptTokensTotal: translator.counters.promptTokens,
			generatedTokensTotal: translator.counters.generatedTokens,
		}),
		close: async () => {
			await translator.close();
			model.close();
		},
	};
}

type Parts = Pick<LoadDecoderOptions, 'description' | 'variant' | 'runtime' | 'session'> & {
	readonly text: TextModel;
	/** Reads what callers send. */
	readonly reader: TextReader;
};

async function decoderCapabilities(
	parts: Parts,
	decoder: Decoder,
	contextLength: number,
	options: LoadOptions,
	images?: ImageReader,
): Promise<Capabilities> {
	const { description, text, reader } = parts;
	const settings = await generationSettings(description.folder);
	const draft =
		options.draftFolder === undefined || !decoder.batchInvariant || decoder.lastLogitsOnly === true
			? undefined
			: await loadDraft(options.draftFolder, decoder, parts);
	const cacheBytes = options.cacheBytes ?? defaultCacheBytes();
	const queue = new RequestQueue<Submission>({
		...usualLimits,
		...defined({ maxWaiting: options.maxWaiting }),
		unit: 'tokens',
	});
	const scheduler = new Scheduler(decoder, {
		queue,
		cacheBytes,
		maxRunning: Math.max(decoder.maxSequences ?? decoder.maxBatchSize, 4),
		prefixCache: options.prefixCache !== false,
		...(options.speculation === false
			? { speculation: false as const }
			: draft === undefined
				? {}
				: { speculation: () => new DraftModelProposer(draft.decoder, draft.contextLength) }),
	});
	const grammars = new GrammarThreads({
		text,
		format: await loadToolFormat(description.folder),
		reasoning: reasoningTagsOf(await readChatTemplate(description.folder)),
		model: options.modelName ?? basename(options.folder),
		deadlineMs: options.textDeadlineMs,
	});
	return {
		expect: () => scheduler.expect(),
		generate: createGenerator({
			scheduler,
			text,
			reader,
			...defined({ images }),
			contextLength,
			vocabularySize: decoder.vocabularySize,
			endTokens: description.eosTokenIds,
			suppression: {
				suppressTokens: settings.suppressTokens,
				beginSuppressTokens: settings.beginSuppressTokens,
				badSequences: settings.badWords,
				noRepeatNgram: settings.noRepeatNgramSize,
			},
			compile: (...constraint) => grammars.compile(...constraint),
			now: () => performance.now(),
		}),
		counters: () => ({
			...queueCounters(queue),
			running: scheduler.running,
			openSequences: scheduler.openSequences,
			cachedPrefixes: scheduler.cachedPrefixes,
			kvBytes: scheduler.kvBytes,
			kvLimitBytes: cacheBytes,
			promptTokensTotal: scheduler.counters.promptTokens,
			cachedTokensTotal: scheduler.counters.cachedTokens,
			generatedTokensTotal: scheduler.counters.generatedTokens,
			draftedTotal: scheduler.counters.drafted,
			acceptedTotal: scheduler.counters.accepted,
		}),
		close: async () => {
			await scheduler.close();
			await grammars.close();
			draft?.decoder.close();
			decoder.close();
		},
	};
}
