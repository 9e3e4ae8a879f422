/** What an engine on another machine may be used for. */

import type { ModelTask } from './routes/answers.ts';

export const upstreamUses = [
	'chat',
	'completions',
	'embeddings',
	'rerank',
	'transcribe',
	'translate',
] as const;

export type UpstreamUse = (typeof upstreamUses)[number];

const tasks: Readonly<Record<UpstreamUse, ModelTask>> = {
	chat: 'chat-completion',
	completions: 'text-generation',
	embeddings: 'embeddings',
	rerank: 'rerank',
	transcribe: 'automatic-speech-recognition',
	translate: 'chat-completion',
};

/** Names of engines: local models have no slash in their ids, so that names before one are free. */
export const engineName = /^[a-z\d](?:[a-z\d-]{0,30}[a-z\d])?$/;

/** Addresses that lead to this machine, so that nothing of them goes over a network. */
export const isLoopbackHost = (host: string): boolean =>
	/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(host);

/** A base address as it is kept: without slashes at its end. @throws TypeError for what is none */
export function engineAddress(text: string): string {
	const { href } = new URL(text);
	let end = href.length;
	while (href[end - 1] === '/') end--;
	return href.slice(0, end);
}

/** Whether an engine that was added for some uses, or for all, may be used so. */
export const allowsUse = (uses: readonly UpstreamUse[], use: UpstreamUse): boolean =>
	uses.length === 0 || uses.includes(use);

/**
 * What a model is listed for.
 *
 * @param task what the engine says of it, if it does
 * @returns `undefined` where the engine was added for nothing that the model does
 */
export function listedTask(
	uses: readonly UpstreamUse[],
	task: ModelTask | undefined,
): ModelTask | undefined {
	const allowed = (uses.length === 0 ? upstreamUses : uses).map((use) => tasks[use]);
	// Most engines do not say; most of their models chat.
	if (task === undefined)
		return allowed.includes('chat-completion') ? 'chat-completion' : allowed[0];
	return uses.length === 0 || allowed.includes(task) ? task : undefined;
}
