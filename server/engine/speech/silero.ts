/** The Silero voice-activity model: a small recurrent net over 32 ms frames of 16 kHz samples. */

import { access } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { modelFile } from '../../hub/modelFile.ts';
import { AppError } from '../../protocol/index.ts';
import type { VoiceRequest, VoiceResult } from '../api.ts';
import type { Runtime, Session } from '../runtime/runtime.ts';

const frameSamples = 512;
/** Samples of the frame before that the net sees again. */
const contextSamples = 64;
const stateLength = 2 * 128;
const rateHz = 16_000;

/** Where a downloaded detector may lie below the folder of the models. */
const folders = ['silero-vad', 'onnx-community--silero-vad', 'onnx-community/silero-vad'];
const files = ['silero_vad.onnx', 'onnx/model.onnx', 'model.onnx'];

/** The graph of a detector beside a speech model's folder; `undefined` when none was downloaded. */
export async function findSilero(speechFolder: string): Promise<string | undefined> {
	const parent = dirname(speechFolder);
	const roots = [parent, dirname(parent)].filter((root) => basename(root) !== '');
	for (const root of roots) {
		for (const folder of folders) {
			for (const file of files) {
				const path = await modelFile(join(root, folder), file).catch(() => undefined);
				if (path !== undefined && (await exists(path))) return path;
			}
		}
	}
	return undefined;
}

function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}

/** A loaded detector. It keeps nothing between calls: the state travels with the requests. */
export interface SileroDetector {
	detect(request: VoiceRequest, signal?: AbortSignal): Promise<VoiceResult>;
	close(): void;
}

/** @throws AppError `unsupported_model` when the graph is not one of version 5 */
export async function openSilero(runtime: Runtime, path: string): Promise<SileroDetector> {
	const session = await runtime.open(path, { threads: 1 });
	if (!session.inputs.has('input') || !session.inputs.has('state') || !session.inputs.has('sr')) {
		session.close();
		throw new AppError(
			'unsupported_model',
			'The voice-activity model is not Silero version 5 (inputs input, state, sr).',
		);
	}
	return {
		detect: (request, signal) => detect(session, request, signal),
		close: () => session.close(),
	};
}

async function detect(
	session: Session,
	{ samples, state }: VoiceRequest,
	signal?: AbortSignal,
): Promise<VoiceResult> {
	const frames = Math.floor(samples.length / frameSamples);
	const probabilities = new Float32Array(frames);
	const input = new Float32Array(contextSamples + frameSamples);
	const memory = new Float32Array(stateLength);
	if (state !== undefined) {
		memory.set(state.subarray(0, stateLength));
		input.set(state.subarray(stateLength, stateLength + contextSamples));
	}
	const binding = session.createBinding();
	try {
		binding.input('input', input, [1, input.length]);
		binding.input('state', memory, [2, 1, 128]);
		binding.input('sr', BigInt64Array.of(BigInt(rateHz)), []);
		binding.outputAny('output');
		binding.outputAny('stateN');
		for (let frame = 0; frame < frames; frame++) {
			const at = frame * frameSamples;
			input.set(samples.subarray(at, at + frameSamples), contextSamples);
			await binding.run(signal);
			probabilities[frame] = (binding.take('output').data as Float32Array)[0] as number;
			memory.set(binding.take('stateN').data as Float32Array);
			input.copyWithin(0, frameSamples);
		}
	} finally {
		binding.release();
	}
	const next = new Float32Array(stateLength + contextSamples);
	next.set(memory);
	next.set(input.subarray(0, contextSamples), stateLength);
	return { probabilities, state: next };
}
