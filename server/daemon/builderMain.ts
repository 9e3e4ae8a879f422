/** The side of the process that builds: reads what the daemon reads for it, and tells how far it is. */

import { buildFolder } from '../engine/build/buildFolder.ts';
import { confine } from '../engine/runtime/confine.ts';
import { defined } from '../protocol/defined.ts';
import {
	AppError,
	type ErrorWire,
	fromErrorWire,
	stackOf,
	toErrorWire,
} from '../protocol/index.ts';
import type { ReadableBytes } from '../services/modelBuilder.ts';
import type { BuilderTask, FromBuilder, ToBuilder } from './builderProtocol.ts';

interface Pending {
	readonly bytes: Uint8Array;
	filled: number;
	readonly resolve: (bytes: Uint8Array) => void;
	readonly reject: (error: unknown) => void;
}

export interface BuilderChannel {
	send(message: FromBuilder): void;
	onMessage(listener: (message: ToBuilder) => void): void;
}

/** Does the one task it is given; resolves when its end was told. */
export async function serveBuilder(channel: BuilderChannel): Promise<void> {
	const pending = new Map<number, Pending>();
	const { promise: started, resolve: start } = Promise.withResolvers<BuilderTask>();
	const { promise: wanted, resolve: go } = Promise.withResolvers<void>();
	const { promise: usableBytes, resolve: tellMemory } = Promise.withResolvers<number>();
	channel.onMessage((message) => {
		switch (message.type) {
			case 'start':
				start(message.task);
				return;
			case 'go':
				go();
				return;
			case 'bytes':
				receive(pending, message.id, message.bytes);
				return;
			case 'unread':
				refuse(pending, message.id, message.error);
				return;
			case 'memory':
				tellMemory(message.usableBytes);
		}
	});
	let nextId = 1;
	const read = (file: number, offset: number, length: number) =>
		new Promise<Uint8Array>((resolve, reject) => {
			const id = nextId++;
			pending.set(id, { bytes: new Uint8Array(length), filled: 0, resolve, reject });
			channel.send({ type: 'read', id, file, offset, length });
		});
	const task = await started;
	try {
		confine([task.root]);
		const { source } = task;
		const loss = await buildFolder(
			{
				...task,
				source:
					source.kind === 'path'
						? source
						: { ...source, files: source.files.map((file, index) => remote(file, index, read)) },
			},
			{
				onPlan: async (facts) => {
					channel.send({ type: 'plan', facts });
					await wanted;
				},
				onProgress: (progress) => channel.send({ type: 'progress', progress }),
				usableBytes: () => {
					channel.send({ type: 'memory' });
					return usableBytes;
				},
			},
		);
		channel.send({ type: 'done', ...defined({ loss }) });
	} catch (error) {
		const stack = stackOf(error);
		channel.send({ type: 'error', error: toErrorWire(error), ...defined({ stack }) });
	}
}

function remote(
	{ name, size }: { readonly name: string; readonly size: number },
	index: number,
	read: (file: number, offset: number, length: number) => Promise<Uint8Array>,
): ReadableBytes {
	return {
		name,
		size,
		read: (offset, length, signal) => {
			signal?.throwIfAborted();
			if (!(offset >= 0 && length >= 0 && offset + length <= size))
				throw new RangeError(`Bytes ${offset} to ${offset + length} of ${size}`);
			return length === 0 ? Promise.resolve(new Uint8Array()) : read(index, offset, length);
		},
	};
}

function receive(pending: Map<number, Pending>, id: number, piece: Uint8Array): void {
	const one = pending.get(id);
	if (one === undefined) return;
	one.bytes.set(piece, one.filled);
	one.filled += piece.length;
	if (one.filled < one.bytes.length) return;
	pending.delete(id);
	one.resolve(one.bytes);
}

function refuse(pending: Map<number, Pending>, id: number, error: ErrorWire): void {
	pending.get(id)?.reject(fromErrorWire(error));
	pending.delete(id);
}

/** The IPC channel this process was started with. */
export function builderChannel(): BuilderChannel {
	if (!process.send)
		throw new AppError('invalid_request', 'A builder is started by the daemon, not by hand.');
	return {
		send: (message) => {
			if (process.connected) process.send?.(message, undefined, undefined, () => {});
		},
		onMessage: (listener) => {
			process.on('message', (message) => listener(message as ToBuilder));
		},
	};
}
