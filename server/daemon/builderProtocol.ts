/** What the daemon and a process that builds a model say to each other. */

import type { ErrorWire } from '../protocol/errorWire.ts';
import type { BuiltLoss } from '../protocol/index.ts';
import type { BuildFacts, BuildRequest, FolderProgress } from '../services/modelBuilder.ts';

/** A request with files as numbers; the daemon reads them. */
export interface BuilderTask extends Omit<BuildRequest, 'source' | 'model'> {
	readonly source:
		| { readonly kind: 'path'; readonly path: string }
		| {
				readonly kind: 'files';
				readonly format: 'gguf' | 'safetensors';
				readonly files: readonly { readonly name: string; readonly size: number }[];
		  };
}

export type ToBuilder =
	| { readonly type: 'start'; readonly task: BuilderTask }
	/** The plan is wanted. */
	| { readonly type: 'go' }
	/** The next piece of what was asked for, in order. */
	| { readonly type: 'bytes'; readonly id: number; readonly bytes: Uint8Array }
	| { readonly type: 'unread'; readonly id: number; readonly error: ErrorWire }
	/** Memory that can be had now. The process may start no program, which the question takes on macOS. */
	| { readonly type: 'memory'; readonly usableBytes: number };

export type FromBuilder =
	| {
			readonly type: 'read';
			readonly id: number;
			/** Index of the task's files. */
			readonly file: number;
			readonly offset: number;
			readonly length: number;
	  }
	| { readonly type: 'plan'; readonly facts: BuildFacts }
	| { readonly type: 'progress'; readonly progress: FolderProgress }
	/** Asks how much memory can be had now. */
	| { readonly type: 'memory' }
	| { readonly type: 'done'; readonly loss?: BuiltLoss }
	| { readonly type: 'error'; readonly error: ErrorWire; readonly stack?: string };

/** Bytes of one message: writing a larger one would hold the daemon's loop. */
export const messageBytes = 1024 * 1024;
