/** What services need of the daemon: models that are loaded when first used. Implemented in daemon/. */

import type { EngineModel, GenerateSummary } from '../engine/api.ts';
import type { TextService } from '../engine/text/textJobs.ts';
import type { ExecutionProvider, ModelInfo, ModelTask } from '../protocol/index.ts';

/** A model runs on another execution provider than the request or its own files name. */
export interface ProviderFallback {
	readonly requested: ExecutionProvider;
	readonly used: ExecutionProvider;
	/** A full sentence. */
	readonly reason: string;
}

export interface AcquireOptions {
	readonly executionProvider?: ExecutionProvider;
	/** Whether activations of 4-bit weights are in single precision; absent: as it is loaded. */
	readonly exact?: boolean;
	/** Seconds the model stays loaded after its last request; 0 = for ever. */
	readonly ttlS?: number;
	/** Told before the lease is given, when the model runs on another provider than the wished one. */
	readonly onFallback?: (fallback: ProviderFallback) => void;
	/** Told when the call has to wait for a load, with what that took last time, if known. */
	readonly onLoading?: (expectedMs: number | undefined) => void;
}

/** A model loaded in another process: what an answer says comes over once, in events. */
export interface ModelClient extends Omit<EngineModel, 'generate'> {
	generate(...call: Parameters<EngineModel['generate']>): Promise<GenerateSummary>;
}

/** A loaded model that is not unloaded while the lease is held. */
export interface ModelLease extends AsyncDisposable {
	readonly info: ModelInfo;
	readonly engine: ModelClient;
	/** Milliseconds this call waited for a load; 0 when it was loaded. */
	readonly loadMs: number;
}

/** Finds, loads and lends models. All methods accept id, id without version, alias or folder name. */
export interface ModelHost {
	list(task?: ModelTask): Promise<readonly ModelInfo[]>;
	/** Throws `model_not_found` naming the known ones. */
	resolve(name: string, task?: ModelTask): Promise<ModelInfo>;
	acquire(name: string, options: AcquireOptions, signal?: AbortSignal): Promise<ModelLease>;
	/** Tokenizer and template of a model on disk, without loading its weights. */
	textModel(name: string): Promise<TextService>;
}
