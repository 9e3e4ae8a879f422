/** What files and batches are, as they are kept and as they are answered. */

/** What a batch may be asked of, by the address of each item. */
export const batchEndpoints = [
	'/v1/chat/completions',
	'/v1/completions',
	'/v1/responses',
	'/v1/embeddings',
	'/v1/rerank',
	'/v1/audio/transcriptions',
	'/translate',
] as const;
/** What batches of documents are made of: begun at an address of their own, which knows where documents lie. */
export const documentEndpoint = '/translator/document:translate';
/** What people name. */
export type RequestEndpoint = (typeof batchEndpoints)[number];
export type BatchEndpoint = RequestEndpoint | typeof documentEndpoint;

/** Whose a batch is, and in whose name its items are asked for. */
export interface JobOwner {
	/** See `CallerRole`. */
	readonly caller: 'owner' | 'local' | 'member';
	/** See `personOf`. */
	readonly person: string;
	/** Id of the key that was shown; its items end when it is revoked. */
	readonly keyId?: string;
}

export interface FileRecord {
	readonly id: string;
	readonly filename: string;
	readonly purpose: string;
	readonly bytes: number;
	readonly sha256: string;
	/** Seconds since 1970. */
	readonly createdAt: number;
	readonly expiresAt?: number;
}

/** What a batch was asked to be; never changes. */
export interface BatchRecord {
	/** Of the files of a batch. A program that knows only earlier ones leaves the batch alone. */
	readonly version: number;
	readonly id: string;
	readonly owner: JobOwner;
	readonly endpoint: BatchEndpoint;
	readonly inputFileId: string;
	readonly completionWindow: string;
	readonly metadata?: Readonly<Record<string, string>>;
	/** Seconds that output and errors are kept, in place of what the server keeps them. */
	readonly outputExpiresInS?: number;
	readonly createdAt: number;
	readonly expiresAt: number;
}

/** Of {@link BatchRecord} and of manifests. */
export const batchVersion = 1;

export type BatchEnding = 'completed' | 'failed' | 'expired' | 'cancelled';
export type BatchStatus = BatchEnding | 'validating' | 'in_progress' | 'finalizing' | 'cancelling';

export interface BatchProblem {
	readonly code: string;
	readonly message: string;
	readonly line?: number;
}

/** How a batch ended; written once. */
export interface BatchEnd {
	readonly status: BatchEnding;
	readonly at: number;
	readonly inProgressAt?: number;
	readonly finalizingAt?: number;
	readonly cancellingAt?: number;
	readonly outputFileId?: string;
	readonly errorFileId?: string;
	readonly counts: BatchCounts;
	readonly usage: TokenUsage;
	readonly problems?: readonly BatchProblem[];
}

export interface BatchCounts {
	readonly total: number;
	readonly completed: number;
	readonly failed: number;
}

/** Of texts and documents to be translated `input` counts characters. */
export interface TokenUsage {
	readonly input: number;
	readonly output: number;
}

/** A part of a batch: lines that lie together in its file. */
export interface Shard {
	readonly number: number;
	/** Bytes of the file, the end not included. */
	readonly start: number;
	readonly end: number;
	/** Lines of the file before it, the empty ones included. */
	readonly firstLine: number;
	readonly items: number;
	/** Lines, counted from its first as 0, whose `custom_id` an earlier line of the file has. */
	readonly doubled?: readonly number[];
}

export interface ShardRef {
	readonly batch: string;
	readonly shard: number;
}

/** First line of a shard's result: what is in it. Rows of success follow, then rows of failure. */
export interface ShardHead {
	readonly version: number;
	readonly completed: number;
	readonly failed: number;
	/** Bytes of the rows of success. */
	readonly okBytes: number;
	readonly input: number;
	readonly output: number;
}

const padded = (shard: number): string => String(shard).padStart(7, '0');

/** Where everything lies in a store. */
export const keys = {
	files: 'files/',
	fileContent: (id: string) => `files/${id}`,
	filesOfAll: 'files-of/',
	filesOf: (person: string) => `files-of/${person}/`,
	file: (person: string, id: string) => `files-of/${person}/${id}`,
	batchesOf: (person: string) => `batches-of/${person}/`,
	batchOf: (person: string, id: string) => `batches-of/${person}/${id}`,
	againOf: (person: string) => `again/${person}/`,
	again: (person: string, hash: string) => `again/${person}/${hash}`,
	/** Batches that have not ended. */
	open: 'open/',
	openBatch: (id: string) => `open/${id}`,
	folders: 'batches/',
	folder: (id: string) => `batches/${id}/`,
	record: (id: string) => `batches/${id}/batch.json`,
	manifest: (id: string) => `batches/${id}/manifest.jsonl`,
	cancel: (id: string) => `batches/${id}/cancel.json`,
	pause: (id: string) => `batches/${id}/pause.json`,
	end: (id: string) => `batches/${id}/end.json`,
	/** Who cuts it into shards. */
	cut: (id: string) => `batches/${id}/cut`,
	/** Who joins its results. */
	join: (id: string) => `batches/${id}/join`,
	/** Files that somebody has begun to write as its output or its errors, by their ids. */
	begunFiles: (id: string) => `batches/${id}/files/`,
	begunFile: (id: string, file: string) => `batches/${id}/files/${file}`,
	shards: (id: string) => `batches/${id}/shards/`,
	shard: ({ batch, shard }: ShardRef) => `batches/${batch}/shards/${padded(shard)}`,
	suspectsOf: (id: string) => `batches/${id}/suspects/`,
	/** Notes of an item that was under way, one for each time; what is left there was not finished. */
	suspects: ({ batch, shard }: ShardRef) => `batches/${batch}/suspects/${padded(shard)}/`,
};
