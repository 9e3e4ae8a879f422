/** Recordings that are handed over: the same ones share a batch, and what passes ends nothing. */

import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock, test } from 'node:test';
import type { CommandIo } from '../../server/cli/command.ts';
import { RecordingBatches } from '../../server/cli/recordingBatches.ts';
import type { DaemonConnection } from '../../server/daemon/daemonConnection.ts';
import { AppError, type ErrorCode } from '../../server/protocol/index.ts';
import {
	createBatch,
	listBatches,
	showBatch,
	uploadFile,
} from '../../server/protocol/routeAddresses.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

interface Kept {
	readonly id: string;
	readonly metadata: Readonly<Record<string, string>>;
	completed_at: number | null;
}

/** A server that keeps batches, fails as it is told, and has transcribed whatever it is told to. */
function startServer() {
	const batches: Kept[] = [];
	const failing = new Map<unknown, ErrorCode>();
	const gone = new Set<string>();
	const answers: Readonly<Record<string, (body: never, id?: string) => unknown>> = {
		[uploadFile.path]: () => ({ id: 'file-in' }),
		[createBatch.path]: ({ metadata }: { metadata: Kept['metadata'] }) => {
			const made = { id: `batch_${batches.length}`, metadata, completed_at: null };
			batches.unshift(made);
			return answerOf(made);
		},
		[showBatch.path]: (_: never, id) => answerOf(batches.find((each) => each.id === id)),
	};
	const answerOf = (batch: Kept | undefined) => ({
		...{ failed_at: null, status: 'in_progress', error_file_id: null, input_file_id: 'file-in' },
		...{ output_file_id: batch?.completed_at == null ? null : `out-${batch.id}` },
		...batch,
	});
	const daemon = {
		call: async (
			route: { readonly path: string },
			{ body, params }: { body: never; params?: { readonly id: string } },
		) => {
			const code = failing.get(route);
			if (code !== undefined) throw new AppError(code);
			if (gone.has(params?.id ?? '')) throw new AppError('not_found', 'There is no such batch.');
			if (route === listBatches)
				return { data: batches.map(answerOf), last_id: null, has_more: false };
			return answers[route.path]?.(body, params?.id);
		},
		open: async () =>
			new Response(`${JSON.stringify({ response: { body: { text: 'spoken', segments: [] } } })}\n`),
	} as unknown as DaemonConnection;
	return {
		batches,
		failing,
		gone,
		daemon,
		end: () => {
			for (const each of batches) each.completed_at = 1;
		},
	};
}

function follow(folder: string, daemon: DaemonConnection, isWatching = false) {
	let said = '';
	const stderr = {
		isTTY: false,
		write: (text: string) => {
			said += text;
		},
	};
	const io = { stderr, env: {}, signal: new AbortController().signal } as unknown as CommandIo;
	const asked = { out: undefined, format: 'text', force: false, isWatching, body: {} } as const;
	const work = new RecordingBatches({ names: [folder], ...asked }, io, async () => daemon);
	return { work, said: () => said };
}

test('recordings with the same content get a transcript each, also from the command that comes next', async () => {
	const folder = temporaryFolder('same');
	for (const name of ['a.wav', 'b.wav']) writeFileSync(join(folder, name), 'sound');
	const server = startServer();
	const first = follow(folder, server.daemon);
	await first.work.look();
	await first.work.step();
	assert.equal(server.batches.length, 1, 'one is enough');
	const second = follow(folder, server.daemon);
	await second.work.look();
	await second.work.step();
	assert.equal(server.batches.length, 1, 'it is gone on with');
	server.end();
	await second.work.step();
	assert.equal(second.work.isBusy, false);
	assert.equal(second.work.end(), 0);
	assert.match(second.said(), /2 transcribed/);
	for (const name of ['a.txt', 'b.txt']) assert.ok(existsSync(join(folder, name)), name);
});

test('a server that cannot say how a batch stands is asked again; a batch that is gone fails alone', async () => {
	const folder = temporaryFolder('passing');
	for (const name of ['a.wav', 'b.wav']) writeFileSync(join(folder, name), name);
	const server = startServer();
	const { work, said } = follow(folder, server.daemon);
	await work.look();
	await work.step();
	server.failing.set(showBatch, 'store_unavailable');
	await work.step();
	await work.step();
	assert.ok(work.isBusy);
	assert.equal(said(), 'The store cannot be reached. It is asked again.\n', 'once');
	server.failing.delete(showBatch);
	server.end();
	server.gone.add('batch_0');
	await work.step();
	assert.equal(work.isBusy, false);
	assert.equal(work.end(), 1);
	assert.match(said(), /a\.wav: There is no such batch\.\n[\s\S]*1 transcribed, 1 failed/);
	assert.ok(existsSync(join(folder, 'b.txt')));
});

test('a command that watches hands over later what had no room', async (context) => {
	const folder = temporaryFolder('room');
	writeFileSync(join(folder, 'a.wav'), 'sound');
	const server = startServer();
	const { work, said } = follow(folder, server.daemon, true);
	let now = performance.now();
	context.after(() => mock.restoreAll());
	mock.method(performance, 'now', () => now);
	server.failing.set(uploadFile, 'payload_too_large');
	// What somebody writes is taken when it has been the same at two looks.
	for (let look = 0; look < 2; look++) await work.look();
	await work.step();
	assert.match(said(), /a\.wav: .* It is tried again\.\n$/);
	for (const [afterMs, count] of [
		[29_000, 0],
		[2000, 0],
		[59_000, 0],
		[2000, 1],
	] as const) {
		if (afterMs === 59_000) server.failing.delete(uploadFile);
		now += afterMs;
		await work.look();
		await work.step();
		assert.equal(server.batches.length, count);
		assert.ok(work.isBusy);
	}
	server.end();
	await work.step();
	assert.equal(work.end(), 0);
	assert.ok(existsSync(join(folder, 'a.txt')));
});
