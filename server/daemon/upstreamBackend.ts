/** Engines on other machines, put together: their file, connections and clocks. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers';
import type { UpstreamDeps } from '../remote/upstreams/openaiUpstream.ts';
import { type UpstreamList, upstreamFile } from '../remote/upstreams/upstreamFile.ts';
import { createUpstreams, type Upstreams } from '../remote/upstreams/upstreams.ts';
import type { ChatService } from '../services/chat/chatService.ts';
import { upstreamChat } from '../services/chat/upstreamChat.ts';
import { readPlainText } from '../store/files.ts';
import type { JsonFile } from '../store/jsonFile.ts';
import { createProxiedFetch } from './proxiedFetch.ts';

export const openUpstreamFile = (dataDir: string): JsonFile<UpstreamList> =>
	upstreamFile(join(dataDir, 'upstreams.json'));

export const upstreamDeps = (env: NodeJS.ProcessEnv): UpstreamDeps => ({
	fetch: createProxiedFetch(env),
	now: () => performance.now(),
	readKey: readPlainText,
	after: (milliseconds, action) => {
		const timer = setTimeout(action, milliseconds).unref();
		return () => clearTimeout(timer);
	},
});

export interface UpstreamBackend extends Upstreams {
	/** Chats of this machine and, by their names, of engines elsewhere. */
	withChat(chat: ChatService): ChatService;
}

export function createUpstreamBackend(dataDir: string, env: NodeJS.ProcessEnv): UpstreamBackend {
	const deps = upstreamDeps(env);
	const upstreams = createUpstreams(openUpstreamFile(dataDir), deps);
	const randomId = () => randomBytes(12).toString('hex');
	return {
		...upstreams,
		withChat: (chat) => upstreamChat(chat, { upstreams, now: deps.now, randomId }),
	};
}
