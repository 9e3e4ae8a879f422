/** What a text thread and its owner say to each other. */

import type { ErrorWire } from '../../protocol/index.ts';
import type { TextJobName } from './textJobs.ts';

/** What a thread is started with. */
export interface TextThreadJob {
	readonly folder: string;
	/** Jinja chat template for a model that has none. */
	readonly chatTemplate: string | undefined;
	/** Name of the model, for messages. */
	readonly model: string;
	/** One Int32: index of the part at work, see `costlyParts`. */
	readonly atWork: SharedArrayBuffer;
}

export interface TextQuestion {
	readonly job: TextJobName;
	readonly request: unknown;
}

export type TextAnswer =
	/** The model's files are about to be read, or are read now. */
	| { readonly kind: 'reading' }
	| { readonly kind: 'read' }
	| { readonly kind: 'value'; readonly value: unknown }
	| { readonly kind: 'error'; readonly error: ErrorWire };
