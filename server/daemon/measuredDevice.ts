/**
 * Where a model runs when nobody says so: on the processor or on a graphics processor, whichever was faster in a short
 * test. It is made at the first load of a model, and again when the model or the machine is another one.
 */

import { cpus } from 'node:os';
import { join } from 'node:path';
import { asAppError, type ExecutionProvider } from '../protocol/index.ts';
import type { GpuService } from '../services/gpuService.ts';
import type { AcquireOptions, ModelLease } from '../services/host.ts';
import type { Logger } from '../services/logger.ts';
import { untilAborted } from '../services/untilAborted.ts';
import { JsonFile, type JsonFormat } from '../store/jsonFile.ts';
import type { ModelHostOptions, RunnerHost } from './modelHost.ts';
import type { ModelIndex } from './modelIndex.ts';

/** Longest time that answers of one device are timed, without its load. */
const testMs = 2000;
/** Answers of a test, each of so many tokens; one that takes longer than that counts as so slow. */
const maxAnswers = 8;
const answerTokens = 16;
const maxAnswerMs = 10_000;
/** The answer that devices are compared by, in tokens. */
const usual = { prompt: 256, answer: 128 };
/** A graphics processor runs one sequence at a time, so it has to be that much faster. */
const minGain = 1.2;
/** Seconds that a model stays where it was only timed. */
const timedTtlS = 1;
/** Models beyond this are forgotten, the oldest measurement first. */
const maxModels = 256;

/** What a test has found. */
interface Measured {
	/** The model and the machine it holds for. */
	readonly of: string;
	readonly provider: ExecutionProvider;
	/** Milliseconds of the usual answer, by device. */
	readonly ms: Readonly<Partial<Record<ExecutionProvider, number>>>;
}

interface Kept {
	/** By id of the model, the newest last. */
	readonly models: Readonly<Record<string, Measured>>;
}

const format: JsonFormat<Kept> = {
	holds: 'Which device was faster',
	fresh: () => ({ models: {} }),
	parse: ({ models }) =>
		typeof models === 'object' && models !== null
			? { models: models as Kept['models'] }
			: undefined,
};

export interface FasterDeviceDeps {
	/** Folder of the user's data. */
	readonly dataDir: string;
	/** Of the product, which has one version of the runtime. */
	readonly version: string;
	readonly models: Pick<ModelHostOptions, 'defaultTtlS'>;
	readonly index: Pick<ModelIndex, 'list'>;
	readonly gpus: Pick<GpuService, 'list' | 'chosen'>;
	/** Those that the installed runtime brings along. */
	readonly providers: ReadonlySet<ExecutionProvider>;
	readonly log: Logger;
}

/** Providers of graphics processors, the likely best first. */
const onGraphics = ['cuda', 'dml', 'coreml', 'webgpu'] as const;

/** A host whose models run on the faster device unless a request or a model's own files name one. */
export function onFasterDevice(host: RunnerHost, deps: FasterDeviceDeps): RunnerHost {
	const file = new JsonFile(join(deps.dataDir, 'devices.json'), format);
	const measuring = new Map<string, Promise<ExecutionProvider>>();

	/** `undefined`: as the host decides. */
	const deviceOf = async (
		name: string,
		{ executionProvider, exact, onLoading }: AcquireOptions,
		signal: AbortSignal | undefined,
	): Promise<ExecutionProvider | undefined> => {
		if (executionProvider !== undefined || exact === true) return undefined;
		const { id, task, state } = await host.resolve(name);
		// Where it is in memory already, it is used; what is measured is how it writes.
		if (task !== 'chat-completion' || (state !== 'cached' && !measuring.has(id))) return undefined;
		if ((await host.describe(id)).executionProvider !== undefined) return undefined;
		const gpus = await deps.gpus.list();
		const candidates = onGraphics.filter((one) => deps.providers.has(one));
		if (gpus.length === 0 || candidates.length === 0) return undefined;
		const { content } = (await deps.index.list()).find(({ info }) => info.id === id) ?? {};
		const machine = [
			deps.version,
			cpus()[0]?.model,
			deps.gpus.chosen(),
			...gpus.map((gpu) => gpu.name),
		];
		const of = JSON.stringify([content, ...machine]);
		const known = (await file.read().catch(format.fresh)).models[id];
		if (known?.of === of) return known.provider;
		let found = measuring.get(id);
		if (found === undefined) {
			found = measure(id, of, candidates).finally(() => measuring.delete(id));
			measuring.set(id, found);
		}
		onLoading?.(undefined);
		return untilAborted(found, signal);
	};

	const measure = async (
		id: string,
		of: string,
		candidates: readonly ExecutionProvider[],
	): Promise<ExecutionProvider> => {
		const ms: Partial<Record<ExecutionProvider, number>> = {};
		for (const provider of [...candidates, 'cpu'] as const)
			try {
				await using lease = await host.acquire(id, {
					executionProvider: provider,
					ttlS: timedTtlS,
				});
				ms[provider] = await usualMs(lease);
			} catch (error) {
				const reason = asAppError(error).message;
				deps.log.info('a device was not measured', { model: id, provider, reason });
			}
		// On both devices it would be in memory twice, and requests would go to either.
		await host.unload(id).catch(() => false);
		const { cpu = Number.POSITIVE_INFINITY } = ms;
		let provider: ExecutionProvider = 'cpu';
		for (const one of candidates)
			if ((ms[one] ?? cpu) * minGain < Math.min(cpu, ms[provider] ?? cpu)) provider = one;
		deps.log.info('devices were measured', { model: id, provider, ms: JSON.stringify(ms) });
		// Where nothing could be measured, the next load tries again.
		if (ms.cpu !== undefined) await keep(id, { of, provider, ms });
		return provider;
	};

	const keep = (id: string, found: Measured): Promise<void> =>
		file
			.change(({ models: { [id]: _, ...others } }) => {
				const models = Object.entries({ ...others, [id]: found }).slice(-maxModels);
				return [{ models: Object.fromEntries(models) }, undefined];
			})
			.catch((error) => {
				const reason = asAppError(error).message;
				deps.log.warn('which device was faster is not kept', { model: id, reason });
			});

	const acquire: RunnerHost['acquire'] = async (name, options, signal) => {
		const provider = await deviceOf(name, options, signal);
		if (provider === undefined) return host.acquire(name, options, signal);
		const ttlS = options.ttlS ?? deps.models.defaultTtlS;
		try {
			return await host.acquire(name, { ...options, executionProvider: provider, ttlS }, signal);
		} catch (error) {
			const { code, message: reason } = asAppError(error);
			if (provider === 'cpu' || code === 'cancelled') throw error;
			// Nobody has named it: the processor does the work.
			deps.log.warn('the faster device cannot be used', { model: name, provider, reason });
			return host.acquire(name, { ...options, executionProvider: 'cpu', ttlS }, signal);
		}
	};

	return {
		...host,
		acquire,
		load: async (name, options, signal) => {
			await using lease = await acquire(name, { ...options, ttlS: options.ttlS ?? 0 }, signal);
			return lease.info;
		},
	};
}

/** Milliseconds of the usual answer. */
async function usualMs({ engine }: ModelLease): Promise<number> {
	let turn = 0;
	const generate = (maxTokens: number) =>
		engine.generate(
			{
				// No two begin alike: nothing comes from a prefix that was read before.
				prompt: {
					kind: 'text',
					text: `${turn++} ${'The file was read from its folder. '.repeat(8)}`,
				},
				...{ owner: undefined, maxTokens, stop: [], n: 1, priority: 'interactive' },
				sampling: {
					...{ temperature: 0, topP: 1, topK: 0, minP: 0, seed: 1, logitBias: {} },
					...{ presencePenalty: 0, frequencyPenalty: 0, repetitionPenalty: 1 },
				},
			},
			() => {},
			AbortSignal.timeout(maxAnswerMs),
		);
	try {
		// Shaders and caches are made in the first one.
		await generate(2);
		const until = performance.now() + testMs;
		const found: number[] = [];
		while (found.length < maxAnswers && (found.length === 0 || performance.now() < until)) {
			const { timings } = await generate(answerTokens);
			const perPromptToken = timings.prompt_ms / Math.max(1, timings.prompt_n);
			// The first token comes with the prompt.
			const perToken = timings.predicted_ms / Math.max(1, timings.predicted_n - 1);
			found.push(usual.prompt * perPromptToken + usual.answer * perToken);
		}
		found.sort((left, right) => left - right);
		return found[Math.floor(found.length / 2)] ?? Number.NaN;
	} catch (error) {
		if (asAppError(error).code !== 'cancelled') throw error;
		return (usual.answer * maxAnswerMs) / answerTokens;
	}
}
