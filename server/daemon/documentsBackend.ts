/** The parts of the daemon that translate documents in batches: where they may lie, and who fetches them. */

import { documentStoreUrls } from '../jobs/documentAddresses.ts';
import { DocumentBatches } from '../jobs/documentService.ts';
import { DocumentStores } from '../jobs/documentStores.ts';
import type { JobService } from '../jobs/jobService.ts';
import { WebDocuments } from '../jobs/webDocuments.ts';
import { createProxiedFetch } from './proxiedFetch.ts';

export interface DocumentsBackend {
	readonly batches: DocumentBatches;
	readonly stores: DocumentStores;
	/** What the operator has named, beside this server's own files. */
	readonly allowed: readonly URL[];
}

export interface HasDocuments {
	readonly documents: DocumentsBackend;
}

/** @throws AppError `invalid_request` for `NEARGLOT_DOCUMENT_STORES` */
export function createDocuments(env: NodeJS.ProcessEnv, jobs: JobService): HasDocuments {
	const allowed = documentStoreUrls(env['NEARGLOT_DOCUMENT_STORES'] ?? '');
	const files = async () => (await jobs.open()).files;
	const stores = new DocumentStores(files, new WebDocuments(createProxiedFetch(env)));
	const batches = new DocumentBatches(() => jobs.open(), stores, allowed);
	return { documents: { stores, allowed, batches } };
}
