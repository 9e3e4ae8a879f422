/** Engines on other machines, put together: their file, connections and clocks. */

import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers';
import { parseEngineKeys } from '../protocol/index.ts';
import type { UpstreamDeps } from '../remote/upstreams/upstreamExchange.ts';
import { type UpstreamList, upstreamFile } from '../remote/upstreams/upstreamFile.ts';
import { createUpstreams, type Upstreams } from '../remote/upstreams/upstreams.ts';
import type { ChatService } from '../services/chat/chatService.ts';
import { upstreamChat } from '../services/chat/upstreamChat.ts';
import type { SpeechDeps, SpeechService } from '../services/speech/speechService.ts';
import { upstreamSpeech } from '../services/speech/upstreamSpeech.ts';
import type { CompletionService } from '../services/text/completionService.ts';
import type { EmbeddingService } from '../services/text/embeddingService.ts';
import type { RerankService } from '../services/text/rerankService.ts';
import { upstreamCompletions } from '../services/text/upstreamCompletion.ts';
import { upstreamEmbeddings, upstreamReranking } from '../services/text/upstreamText.ts';
import { readPlainText } from '../store/files.ts';
import type { JsonFile } from '../store/jsonFile.ts';
import { createProxiedFetch } from './proxiedFetch.ts';
import type { Secrets } from './secrets.ts';

export const openUpstreamFile = (dataDir: string): JsonFile<UpstreamList> =>
	upstreamFile(join(dataDir, 'upstreams.json'));

/** @param handed keys that editors have handed over, of each editor as JSON; the newest first */
export const upstreamDeps = (
	env: NodeJS.ProcessEnv,
	handed: () => readonly string[] = () => [],
): UpstreamDeps => ({
	fetch: createProxiedFetch(env),
	now: () => performance.now(),
	readKey: readPlainText,
	handedKey: ({ name, url }) =>
		handed()
			.map((text) => parseEngineKeys(text)[name])
			.find((each) => each?.url === url)?.key,
	after: (milliseconds, action) => {
		const timer = setTimeout(action, milliseconds).unref();
		return () => clearTimeout(timer);
	},
});

export interface UpstreamBackend extends Upstreams {
	/** The engines as they are written down. */
	readonly file: JsonFile<UpstreamList>;
	/** Services of this machine and, for models of engines elsewhere, of those. */
	withChat(chat: ChatService): ChatService;
	withCompletions(completions: CompletionService): CompletionService;
	withEmbeddings(embeddings: EmbeddingService): EmbeddingService;
	withReranking(reranking: RerankService): RerankService;
	withSpeech(speech: SpeechService, deps: Pick<SpeechDeps, 'decode' | 'limits'>): SpeechService;
}

export function createUpstreamBackend(
	dataDir: string,
	env: NodeJS.ProcessEnv,
	secrets: Pick<Secrets, 'all'>,
): UpstreamBackend {
	const deps = upstreamDeps(env, () => secrets.all('engineKeys'));
	const file = openUpstreamFile(dataDir);
	const upstreams = createUpstreams(file, deps);
	const randomId = () => randomBytes(12).toString('hex');
	return {
		...upstreams,
		file,
		withChat: (chat) => upstreamChat(chat, { upstreams, now: deps.now, randomId }),
		withCompletions: (completions) =>
			upstreamCompletions(completions, { upstreams, now: deps.now }),
		withEmbeddings: (embeddings) => upstreamEmbeddings(embeddings, upstreams),
		withReranking: (reranking) => upstreamReranking(reranking, upstreams),
		withSpeech: (speech, own) =>
			upstreamSpeech(speech, { upstreams, openFile: openAsBlob, ...own }),
	};
}
