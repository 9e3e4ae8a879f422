/**
 * The HTTP interface over a translation model that knows every language and answers by rule, so that
 * tests can say what must come out. Runs in the test's process on a free port.
 */

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
	EngineModel,
	Seq2SeqItem,
	Seq2SeqOutput,
	Seq2SeqRequest,
} from '../../server/engine/api.ts';
import { listen } from '../../server/http/listen.ts';
import { defined } from '../../server/protocol/defined.ts';
import { AppError, type ModelInfo } from '../../server/protocol/index.ts';
import { Client, sender } from '../../server/protocol/routeClient.ts';
import type { ModelHost } from '../../server/services/host.ts';
import { silentLogger } from '../../server/services/logger.ts';
import {
	createTranslateAccess,
	type TranslateAccess,
} from '../../server/services/translate/translateAccess.ts';
import { TranslateKeyStore } from '../../server/services/translate/translateKeys.ts';
import { CharacterMeter } from '../../server/services/translate/translateLimits.ts';
import { createTranslateService } from '../../server/services/translate/translateService.ts';
import { createCustomSystems } from '../../server/services/translate/translateSystems.ts';
import { languageCodes } from '../../server/translate/languageCodes.ts';
import { languageToolsHere } from '../../server/translate/languageTools.ts';
import { SentenceCache } from '../../server/translate/sentenceCache.ts';
import { wordSpans } from '../../server/translate/wordSpans.ts';
import type { WorkBound } from '../../server/work/workBound.ts';
import type { ScriptedChat } from './scriptedChat.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './testServer.ts';

export interface FakeEngine {
	/** Items of every call, in order. */
	readonly calls: Seq2SeqRequest[];
	/** Calls that were aborted. */
	aborted: number;
	/** When set, calls wait for it or for their end. */
	gate: Promise<void> | undefined;
}

/** Translates by rule: upper case; Chinese becomes 字 per word; Tamil is always the same question. */
export function fakeOutput(item: Seq2SeqItem): Seq2SeqOutput {
	const target = item.targetLanguage ?? 'de';
	const words = wordSpans(item.text, 'en');
	let text = '';
	let at = 0;
	const targetSpans: [number, number][] = [];
	for (const [start, end] of words) {
		const word = item.text.slice(start, end);
		text += target === 'zh' ? '' : item.text.slice(at, start);
		const made = /^[\p{P}\p{S}{}\d]+$/u.test(word)
			? word
			: target === 'zh'
				? '字'
				: word.toUpperCase();
		targetSpans.push([text.length, text.length + made.length]);
		text += made;
		at = end;
	}
	if (target === 'ta') text = 'எப்படி இருக்கிறாய்?';
	const attention = new Float32Array(words.length * words.length);
	for (let word = 0; word < words.length; word++) attention[word * words.length + word] = 1;
	return {
		text,
		tokenIds: [],
		score: -0.1,
		reason: 'stop',
		...(target === 'ta' ? {} : { sourceSpans: words, targetSpans, attention }),
	};
}

export interface TranslateServer extends TestServer {
	readonly engine: FakeEngine;
	readonly store: TranslateKeyStore;
	readonly access: TranslateAccess;
	/** Folder of the custom systems. */
	readonly systems: string;
	/** Moves the clock of tokens and limits. */
	advance(milliseconds: number): void;
	/** Models that the host lists besides the loaded one. */
	readonly models: ModelInfo[];
	/** Messages that were logged as errors. */
	readonly errors: readonly string[];
}

export interface TranslateServerOptions {
	readonly requireKey?: boolean;
	readonly env?: NodeJS.ProcessEnv;
	/** Answers for a chat model `scripted`; without it there is none. */
	readonly chat?: ScriptedChat;
	/** Languages the model knows; all when absent. */
	readonly languages?: readonly string[];
	/** Where texts and documents wait; default: the product's own. */
	readonly textQueue?: WorkBound;
	readonly documentQueue?: WorkBound;
	readonly settings?: TestServerOptions['settings'];
}

export async function startTranslateServer(
	options: TranslateServerOptions = {},
): Promise<TranslateServer> {
	const { env, settings } = options;
	const base = await startTestServer({ ...defined({ env, settings }) });
	const home = temporaryFolder('translate');
	const folder = join(home, 'any-to-any');
	await mkdir(folder);
	const codes = [
		...new Set((options.languages ?? languageCodes).map((code) => code.split('-')[0] ?? code)),
	].filter((code) => code.length <= 3);
	await writeFile(
		join(folder, 'config.json'),
		'{"model_type":"m2m_100","max_position_embeddings":512}',
	);
	await writeFile(
		join(folder, 'vocab.json'),
		JSON.stringify(Object.fromEntries(codes.map((code, index) => [`__${code}__`, index]))),
	);

	const engine: FakeEngine = { calls: [], aborted: 0, gate: undefined };
	const model: ModelInfo = {
		id: 'any-to-any:1',
		name: 'any-to-any',
		version: '1',
		alias: 'any-to-any',
		displayName: 'Any to any',
		task: 'translation',
		state: 'loaded',
		origin: 'local',
		publisher: '',
		license: '',
		folder,
		supportsToolCalling: false,
	};
	const scripted: ModelInfo = {
		...{ ...model, id: 'scripted:1', name: 'scripted', alias: 'scripted' },
		...{ task: 'chat-completion', contextLength: 4096 },
	};
	const models: ModelInfo[] = options.chat ? [model, scripted] : [model];
	const seq2seq: EngineModel['seq2seq'] = async (request, signal) => {
		engine.calls.push(request);
		const stopped = new Promise<never>((_, reject) =>
			signal?.addEventListener('abort', () => {
				engine.aborted++;
				reject(new AppError('cancelled'));
			}),
		);
		stopped.catch(() => {});
		if (engine.gate) await Promise.race([engine.gate, stopped]);
		return { outputs: request.items.map(fakeOutput) };
	};
	const host: ModelHost = {
		list: async (task) => models.filter((info) => task === undefined || info.task === task),
		resolve: async (name) => {
			const found = models.find((info) => info.id === name || info.name === name);
			if (!found) throw new AppError('model_not_found');
			return found;
		},
		acquire: async () => ({
			info: model,
			engine: { seq2seq } as unknown as EngineModel,
			loadMs: 0,
			[Symbol.asyncDispose]: async () => {},
		}),
		textModel: async () => {
			throw new AppError('unsupported_model');
		},
	};
	let shift = 0;
	const store = new TranslateKeyStore(join(home, 'keys.json'));
	const access = createTranslateAccess({ store, now: () => new Date(Date.now() + shift) });
	const systems = join(home, 'systems');
	const errors: string[] = [];
	const listener = await listen(
		{
			...base.backend,
			log: { ...silentLogger, error: (message) => errors.push(message) },
			translation: createTranslateService({
				host,
				language: languageToolsHere,
				cache: new SentenceCache(1 << 20),
				custom: createCustomSystems(systems),
				...(options.chat ? { generateChat: options.chat.ask } : {}),
				...(options.textQueue ? { bound: options.textQueue } : {}),
			}),
			translatorAccess: access,
			...(options.documentQueue ? { documentQueue: options.documentQueue } : {}),
			meter: new CharacterMeter(() => Date.now() + shift),
		},
		{
			port: 0,
			host: '127.0.0.1',
			key: base.key,
			requireKey: options.requireKey ?? false,
			allowedOrigins: [],
			allowedHosts: [],
		},
	);
	return {
		...base,
		url: listener.url,
		client: new Client(
			sender({ fetch: (path, init) => fetch(new URL(path, listener.url), init), key: base.key }),
		),
		engine,
		store,
		access,
		systems,
		models,
		errors,
		advance: (milliseconds) => {
			shift += milliseconds;
		},
		post: (path, body, init = {}) =>
			fetch(new URL(path, listener.url), {
				method: 'POST',
				body: typeof body === 'string' ? body : JSON.stringify(body),
				...init,
				headers: { 'content-type': 'application/json', ...init.headers },
			}),
		close: async () => {
			await listener.close();
			await base.close();
			await rm(home, { recursive: true, force: true });
		},
	};
}
