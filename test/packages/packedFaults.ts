/** What happens to a server and to its machine, done to one that is started from the files of a package. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineStats } from '../../server/engine/stats.ts';
import { writeDecoderModel } from '../fixtures/decoderModel.ts';
import { until } from '../support/until.ts';
import { PackedServer, packedNode } from './packedServer.ts';

/** Reading a prompt of this many letters takes the model a while on every machine. */
const longPrompt = 60_000;

/**
 * A question that nobody waits for any more is given up, a model is removed while it is loaded, and a server that was
 * killed starts again on what it has left and answers.
 * @param entry the server's bundle
 * @param home its data folder
 */
export async function mustStandFaults(entry: string, home: string): Promise<void> {
	const models = join(home, 'own models');
	mkdirSync(models, { recursive: true });
	const shape = { layers: 4, hidden: 128, heads: 4, kvHeads: 2, inner: 256, vocabulary: 320 };
	const folder = writeDecoderModel(join(models, 'patient'), {
		attention: 'gqa',
		shape: { ...shape, context: 65_536 },
	});
	const env = { ...process.env, NEARGLOT_MODELS: models };
	const first = await PackedServer.start(entry, home, [packedNode], env);
	const running = async (): Promise<number> => {
		const { stats } = (await first.send('/nearglot/models/list')) as {
			stats: { model: string; stats: EngineStats }[];
		};
		return stats.find(({ model }) => model.startsWith('patient'))?.stats.running ?? 0;
	};
	const leaving = new AbortController();
	const asked = first
		.send(
			'/v1/chat/completions',
			{ model: 'patient', messages: [{ role: 'user', content: 'a'.repeat(longPrompt) }] },
			leaving.signal,
		)
		.catch((error: unknown) => error);
	await until('the model reads', async () => (await running()) > 0);
	leaving.abort();
	assert.ok((await asked) instanceof Error);
	await until('the model reads no more', async () => (await running()) === 0);
	await first.send('/nearglot/models/remove', { model: 'patient' });
	assert.ok(!existsSync(folder));
	first.child.kill('SIGKILL');
	await once(first.child, 'close');
	await using second = await PackedServer.start(entry, home, [packedNode], env);
	await second.mustRunAsItShould();
}

/** A model of 1.6 GB answers, also where the system keeps most of its memory for files. */
export async function mustRunLargeModel(entry: string, home: string): Promise<void> {
	const models = join(home, 'own models');
	mkdirSync(models, { recursive: true });
	const shape = { layers: 6, hidden: 2048, heads: 16, kvHeads: 16, inner: 8192, vocabulary: 320 };
	writeDecoderModel(join(models, 'large'), { attention: 'gqa', shape: { ...shape, context: 256 } });
	const env = { ...process.env, NEARGLOT_MODELS: models };
	await using server = await PackedServer.start(entry, home, [packedNode], env);
	await server.send('/v1/completions', { model: 'large', prompt: 'a', max_tokens: 2 });
}
