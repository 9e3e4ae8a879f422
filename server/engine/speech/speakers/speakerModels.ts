/**
 * The two kinds of networks that say who speaks when: segmentation, which tells up to three voices of ten seconds
 * apart (exports of pyannote's segmentation-3.0), and embeddings, which make a vector of a voice (WeSpeaker,
 * 3D-Speaker).
 */

import { modelFile } from '../../../hub/modelFile.ts';
import { AppError } from '../../../protocol/index.ts';
import type {
	EmbedVoiceRequest,
	EmbedVoiceResult,
	ModelDescription,
	ModelVariant,
	SegmentSpeakersRequest,
	SegmentSpeakersResult,
} from '../../api.ts';
import type { Runtime, Session, SessionOptions, TensorInfo } from '../../runtime/runtime.ts';
import { type FbankWindow, fbankBins, fbankFrames, kaldiFbank } from './kaldiFbank.ts';

/** Nobody, each of three, each two of three. */
const classCount = 7;
const usualOutputs = new Set([
	'logits',
	'y',
	'embs',
	'embedding',
	'embeddings',
	'last_hidden_state',
]);
/** Frames below which a voice cannot be told: 0.2 s. */
const minFrames = 20;

interface SpeakerParts {
	readonly description: ModelDescription;
	readonly variant: ModelVariant;
	readonly runtime: Runtime;
	readonly session: SessionOptions;
}

/** A loaded network of either kind; its calls take turns. */
export interface SpeakerModel {
	segmentSpeakers?(
		request: SegmentSpeakersRequest,
		signal?: AbortSignal,
	): Promise<SegmentSpeakersResult>;
	embedVoice?(request: EmbedVoiceRequest, signal?: AbortSignal): Promise<EmbedVoiceResult>;
	readonly running: number;
	close(): void;
}

/** @throws AppError `unsupported_model` when the graph has other inputs and outputs than such exports */
export async function openSpeakerModel(parts: SpeakerParts): Promise<SpeakerModel> {
	const { description, variant, runtime } = parts;
	const file = variant.files.model ?? '';
	const session = await runtime.open(await modelFile(description.folder, file), parts.session);
	try {
		return description.task === 'speaker-segmentation'
			? segmentation(session, file)
			: embedding(session, file);
	} catch (error) {
		session.close();
		throw error;
	}
}

/** Of several outputs the one by its usual name; there is one input only. */
function only(
	values: ReadonlyMap<string, TensorInfo>,
	file: string,
	kind: 'inputs' | 'outputs',
): TensorInfo {
	const named = [...values.values()].filter(({ name }) => usualOutputs.has(name));
	const [first] =
		values.size > 1 && kind === 'outputs' && named.length === 1 ? named : values.values();
	if (first !== undefined && first.type !== 'float32')
		throw new AppError(
			'unsupported_model',
			`${file} cannot be used: its ${kind} are ${first.type}; take a build that reads and gives float32.`,
		);
	if (first !== undefined && (values.size === 1 || named.length === 1)) return first;
	throw new AppError(
		'unsupported_model',
		`${file} cannot be used: it has ${values.size} ${kind}, where one is expected.`,
	);
}

function segmentation(session: Session, file: string): SpeakerModel {
	const input = only(session.inputs, file, 'inputs');
	const output = only(session.outputs, file, 'outputs');
	if (input.dims.length !== 3 || ![classCount, -1].includes(output.dims.at(-1) ?? 0))
		throw new AppError(
			'unsupported_model',
			`${file} cannot be used: it does not give ${classCount} classes for [batch, 1, samples], as exports of segmentation-3.0 do.`,
		);
	const calls = inTurn();
	return {
		get running() {
			return calls.size;
		},
		segmentSpeakers: ({ samples }, signal) =>
			calls.run(async () => {
				const logits = await runOnce(session, input.name, samples, [1, 1, samples.length], {
					output: output.name,
					signal,
				});
				return { classes: largest(logits) };
			}),
		close: () => session.close(),
	};
}

function embedding(session: Session, file: string): SpeakerModel {
	const input = only(session.inputs, file, 'inputs');
	const output = only(session.outputs, file, 'outputs');
	if (input.dims.length !== 3 || ![fbankBins, -1].includes(input.dims[2] ?? 0))
		throw new AppError(
			'unsupported_model',
			`${file} cannot be used: it does not read [batch, frames, ${fbankBins}], as exports of WeSpeaker and 3D-Speaker do.`,
		);
	// 3D-Speaker calls its input so, and takes Kaldi's own window.
	const window: FbankWindow = input.name === 'feature' ? 'povey' : 'hamming';
	const calls = inTurn();
	return {
		get running() {
			return calls.size;
		},
		embedVoice: ({ samples }, signal) =>
			calls.run(async () => {
				const frames = fbankFrames(samples.length);
				if (frames < minFrames)
					throw new AppError('invalid_audio', 'A voice is told by 0.2 s of sound at least.');
				const features = kaldiFbank(samples, window);
				const vector = await runOnce(session, input.name, features, [1, frames, fbankBins], {
					output: output.name,
					signal,
				});
				return { vector };
			}),
		close: () => session.close(),
	};
}

async function runOnce(
	session: Session,
	input: string,
	data: Float32Array,
	dims: readonly number[],
	{ output, signal }: { readonly output: string; readonly signal: AbortSignal | undefined },
): Promise<Float32Array> {
	const binding = session.createBinding();
	try {
		binding.input(input, data, dims);
		binding.outputAny(output);
		await binding.run(signal);
		return binding.take(output).data as Float32Array;
	} finally {
		binding.release();
	}
}

/** The class of the largest value of each frame. */
function largest(logits: Float32Array): Uint8Array {
	return Uint8Array.from({ length: logits.length / classCount }, (_, frame) => {
		let best = 0;
		for (let one = 1; one < classCount; one++)
			if (
				(logits[frame * classCount + one] as number) > (logits[frame * classCount + best] as number)
			)
				best = one;
		return best;
	});
}

/** One call after the other. */
function inTurn() {
	let last: Promise<unknown> = Promise.resolve();
	let size = 0;
	return {
		get size() {
			return size;
		},
		run: <T>(work: () => Promise<T>): Promise<T> => {
			size++;
			const own = last.then(work).finally(() => {
				size--;
			});
			last = own.catch(() => {});
			return own;
		},
	};
}
