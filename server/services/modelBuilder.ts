/** Building of models from published weights, as use-cases need it; who does it, and where, is their parameter. */

import type { BuildFacts, FolderBuild, FolderProgress } from '../engine/build/buildFolder.ts';
import type { BuiltLoss } from '../protocol/index.ts';

export type {
	BuildFacts,
	BuildSource,
	FolderProgress,
	ReadableBytes,
} from '../engine/build/buildFolder.ts';

export interface BuildRequest extends FolderBuild {
	/** Name of the model, for messages. */
	readonly model: string;
	/** Folder that the process may write to; the target lies in it, and what is unfinished stays there. */
	readonly root: string;
	/** Only the plan is wanted: other builds are not waited for. */
	readonly plan?: boolean;
}

/** What was planned, and what has come of it. */
export interface BuildResult extends BuildFacts {
	readonly loss?: BuiltLoss;
}

export interface BuildListener {
	/** Told the plan; resolves to whether to go on. What it throws ends the build. */
	onPlan(facts: BuildFacts): Promise<boolean>;
	onProgress(progress: FolderProgress): void;
	/** Told the name of the model that is built just now, when it has to wait for that. */
	onWait?(model: string): void;
}

export interface ModelBuilder {
	/**
	 * Resolves when the folder is there; `undefined` when the plan was not wanted. Cancelled or killed, the same
	 * request goes on where it was.
	 * @throws AppError `unsupported_model`, `disk_full`, `out_of_memory`, `cancelled`, or of the source
	 */
	build(
		request: BuildRequest,
		listener: BuildListener,
		signal: AbortSignal,
	): Promise<BuildResult | undefined>;
}
