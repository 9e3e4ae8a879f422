/** Heads that judge a text by one number: the last part of rerankers, as checkpoints of a family have it. */

import { AppError } from '../../../protocol/index.ts';
import type { JsonRecord } from '../../modelFiles/json.ts';
import { rowsOf, type TensorSource } from '../sources/tensorSource.ts';
import { configFault } from './configReader.ts';
import type { Activation } from './decoderShape.ts';

export interface ScoreHead {
	/** What is judged: the vector of the first token, or the mean of all. */
	readonly pooling: 'first' | 'mean';
	/** Modules, in their order. */
	readonly dense: string;
	readonly activation: Activation | 'tanh';
	/** Behind the activation. */
	readonly norm?: string;
	readonly classifier: string;
}

const families: ReadonlyMap<string, ScoreHead> = new Map([
	[
		'bert',
		{
			pooling: 'first',
			dense: 'bert.pooler.dense',
			activation: 'tanh',
			classifier: 'classifier',
		},
	],
	...['roberta', 'xlm-roberta'].map(
		(name) =>
			[
				name,
				{
					pooling: 'first',
					dense: 'classifier.dense',
					activation: 'tanh',
					classifier: 'classifier.out_proj',
				},
			] as const,
	),
	[
		'distilbert',
		{
			pooling: 'first',
			dense: 'pre_classifier',
			activation: 'relu',
			classifier: 'classifier',
		},
	],
	[
		'modernbert',
		{
			pooling: 'first',
			dense: 'head.dense',
			activation: 'gelu',
			norm: 'head.norm',
			classifier: 'classifier',
		},
	],
]);

/** Whether the classes of config.json say that texts are judged. */
export function judgesTexts(config: JsonRecord): boolean {
	const names = config['architectures'];
	return Array.isArray(names) && names.some((name) => /ForSequenceClassification$/.test(name));
}

/**
 * The head of a model whose class judges texts; `undefined` for others.
 * @param activationOf the activation of a name
 * @throws AppError `unsupported_model` when it tells several labels apart
 */
export function scoreHeadOf(
	config: JsonRecord,
	source: TensorSource,
	activationOf: (name: string) => Activation,
): ScoreHead | undefined {
	const head = families.get(String(config['model_type']));
	if (head === undefined || !judgesTexts(config)) return undefined;
	const labels = rowsOf(source.tensors.get(`${head.classifier}.weight`)?.shape ?? []);
	if (labels > 1)
		throw new AppError(
			'unsupported_model',
			`The model is a classifier that tells ${labels} labels apart. Encoders that give vectors (embeddings) or one score (rerankers) can be built; classifiers cannot.`,
		);
	if (head.norm === undefined) return head;
	const pooling = config['classifier_pooling'] ?? 'cls';
	if (pooling !== 'cls' && pooling !== 'mean')
		throw configFault(`sets classifier_pooling to ${JSON.stringify(pooling).slice(0, 100)}`);
	const name = config['classifier_activation'];
	return {
		...head,
		pooling: pooling === 'cls' ? 'first' : 'mean',
		activation: activationOf(typeof name === 'string' ? name : 'gelu'),
	};
}
