/**
 * Many different requests at once, of every kind, to a daemon that has just started: each whole answer must be the one that a
 * daemon without other work gives to it alone.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtInModelsDir } from '../../server/daemon/machine.ts';
import { Client, Refusal } from './client.ts';
import { startDaemon } from './daemon.ts';
import { writeExactModel } from './exactModel.ts';
import { speechActs } from './recordings.ts';
import { questions, sentences, translate } from './traffic.ts';
import { occupied, readGauges } from './watch.ts';

export interface BurstOptions {
	/** Requests at once: of 51 one is a recording, ten are translations, ten embeddings where there is a model, and the rest streams of chat. */
	readonly requests: number;
	/** Folder of an embedding model; absent: its share are chats. */
	readonly embeddings: string | undefined;
	readonly say: (line: string) => void;
}

interface Asked {
	readonly name: string;
	run(client: Client): Promise<string>;
	/** Whether two answers are the same; absent: letter for letter. */
	isSame?(left: string, right: string): boolean;
}

const chat = 'burst-chat';
const embedder = 'burst-embed';
/** Largest difference of a number of an embedding: rows of one batch are summed in another order than alone. */
const embeddingTolerance = 1e-4;

/** Everything that was wrong, each a sentence; empty when all is well. */
export async function runBurst({ requests, embeddings, say }: BurstOptions): Promise<string[]> {
	const folder = mkdtempSync(join(tmpdir(), 'nearglot-burst-'));
	const exact = join(folder, 'chat');
	writeExactModel(join(builtInModelsDir() ?? '', 'starter-chat'), exact);
	const models = {
		[chat]: exact,
		...(embeddings === undefined ? {} : { [embedder]: embeddings }),
	};
	const asked = Array.from({ length: requests }, (_, at) =>
		requestAt(at, embeddings !== undefined),
	);
	const problems: string[] = [];
	const counts = { overloaded: 0, wrong: 0 };
	try {
		const busy = await startDaemon({ models });
		const started = performance.now();
		const together = new Client(busy.url, busy.key);
		const answers = await Promise.all(
			asked.map((each) => patient(each, together, () => counts.overloaded++).catch(String)),
		);
		say(`${requests} answers at once in ${((performance.now() - started) / 1000).toFixed(1)} s`);
		for (const text of occupied(await readGauges(together))) problems.push(text);
		if ((await busy.stop()) !== 0) problems.push('The daemon did not end in good order.');

		const idle = await startDaemon({ models });
		const alone = new Client(idle.url, idle.key);
		for (const [at, each] of asked.entries()) {
			const expected = await each.run(alone);
			const answer = answers[at] ?? '';
			if (each.isSame?.(answer, expected) ?? answer === expected) continue;
			counts.wrong++;
			problems.push(`${each.name}: ${answer.slice(0, 200)}, and alone ${expected.slice(0, 200)}`);
		}
		await idle.stop();
		say(`${counts.wrong} differ from the lone answer, ${counts.overloaded} were asked again`);
		return problems;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function requestAt(at: number, hasEmbeddings: boolean): Asked {
	const [recording, ...others] = speechActs('starter-speech');
	const kind = at % 51;
	const pick = (texts: readonly string[]) => texts[at % texts.length] ?? '';
	if (kind === 0 && recording !== undefined) {
		const act = [recording, ...others][(at / 51) % (others.length + 1)] ?? recording;
		return { name: `${act.name} ${at}`, run: async (client) => (await act.run(client)).text };
	}
	if (kind <= 10) {
		const text = `${pick(sentences).slice(0, -1)} (${at}).`;
		return { name: `translation ${at}`, run: (client) => translate(client, [text]) };
	}
	if (kind <= 20 && hasEmbeddings)
		return {
			name: `embedding ${at}`,
			run: async (client) => {
				const body = { model: embedder, input: `${pick(questions)} ${at}` };
				return JSON.stringify(vectorOf(await client.post('/v1/embeddings', body)));
			},
			isSame: areNear,
		};
	const messages = [{ role: 'user', content: `${pick(questions)} number ${at}` }];
	return {
		name: `chat ${at}`,
		run: async (client) =>
			(await client.streamChat({ model: chat, messages, temperature: 0, max_tokens: 40 })).text,
	};
}

const vectorOf = (value: unknown): readonly number[] | undefined =>
	(value as { data: readonly { embedding: readonly number[] }[] }).data[0]?.embedding;

function areNear(left: string, right: string): boolean {
	if (!left.startsWith('[')) return false;
	const [a, b] = [JSON.parse(left), JSON.parse(right)] as [number[], number[]];
	return (
		a.length === b.length &&
		a.every((value, at) => Math.abs(value - (b[at] ?? Number.NaN)) <= embeddingTolerance)
	);
}

/** Asks again what has found no room, as clients do. */
async function patient(asked: Asked, client: Client, onWait: () => void): Promise<string> {
	for (let tries = 0; ; tries++)
		try {
			return await asked.run(client);
		} catch (error) {
			if (!(error instanceof Refusal && error.retryable) || tries >= 60) throw error;
			onWait();
			await sleep(1000 * Math.random());
		}
}
