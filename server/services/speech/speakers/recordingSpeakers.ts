/** Who speaks in a recording, by the two models for that which are on this machine; without them it is refused. */

import type { DecodedAudio } from '../../../audio/decodeAudio.ts';
import { AppError, type ModelInfo, type ModelTask } from '../../../protocol/index.ts';
import type { ModelClient, ModelHost } from '../../host.ts';
import { diarize } from './diarize.ts';
import type { SpeakerTurn } from './speakerTurns.ts';

/** What is needed, and a repository that has it in the layout which is read here. */
const needed = [
	{ task: 'speaker-segmentation', example: 'onnx-community/pyannote-segmentation-3.0' },
	{ task: 'speaker-embedding', example: 'onnx-community/wespeaker-voxceleb-resnet34-LM' },
] as const satisfies readonly { readonly task: ModelTask; readonly example: string }[];

/** Ids of the models that say who speaks. */
export interface SpeakerModelIds {
	readonly segmentation: string;
	readonly embedding: string;
}

/** @throws AppError `model_not_found` with the commands that get what is missing */
export async function findSpeakerModels(host: ModelHost): Promise<SpeakerModelIds> {
	const [segmentation, embedding] = await Promise.all(
		needed.map(async ({ task }) => smallest(await host.list(task))),
	);
	if (segmentation !== undefined && embedding !== undefined)
		return { segmentation: segmentation.id, embedding: embedding.id };
	const missing = needed.filter((_, index) => [segmentation, embedding][index] === undefined);
	const commands = missing.map(({ example }) => `nearglot models pull ${example}`).join('; ');
	throw new AppError(
		'model_not_found',
		`To say who speaks, a model that tells speakers apart and one that knows voices again are needed, and ${missing.length === 2 ? 'neither' : 'one of them'} is ${missing.length === 2 ? '' : 'not '}on this machine. Download: ${commands}.`,
		{ param: 'speakers' },
	);
}

/** Who speaks when. Closes `audio`. */
export async function recordingSpeakers(
	host: ModelHost,
	models: SpeakerModelIds,
	audio: DecodedAudio,
	signal?: AbortSignal,
): Promise<SpeakerTurn[]> {
	try {
		await using segmentation = await host.acquire(models.segmentation, {}, signal);
		await using embedding = await host.acquire(models.embedding, {}, signal);
		return await diarize(
			audio.samples,
			{
				segmentation: able(segmentation.engine, 'segmentSpeakers'),
				embedding: able(embedding.engine, 'embedVoice'),
			},
			signal,
		);
	} finally {
		await audio.close();
	}
}

/** @throws AppError `unsupported_model` when a model is not for that after all */
function able<K extends 'segmentSpeakers' | 'embedVoice'>(
	engine: ModelClient,
	what: K,
): Pick<Required<ModelClient>, K> {
	if (engine[what] === undefined) throw new AppError('unsupported_model');
	return engine as Required<ModelClient>;
}

/** Of several that do the same, the smallest on disk. */
function smallest(models: readonly ModelInfo[]): ModelInfo | undefined {
	const size = ({ sizeBytes }: ModelInfo) => sizeBytes ?? Number.POSITIVE_INFINITY;
	return models
		.filter(({ folder }) => folder !== undefined)
		.sort((a, b) => size(a) - size(b) || (a.id < b.id ? -1 : 1))[0];
}
