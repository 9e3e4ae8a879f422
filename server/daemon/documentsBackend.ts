/** The parts of the daemon that translate documents in batches: where they may lie, and who fetches them. */

import { DocumentBatches } from '../jobs/documentBatches.ts';
import { documentStoreUrls } from '../jobs/documentPlaces.ts';
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

/** @throws AppError `invalid_request` for `NEARGLOT_DOCUMENT_STORES` */
export function createDocuments(env: NodeJS.ProcessEnv, jobs: JobService): DocumentsBackend {
	const allowed = documentStoreUrls(env['NEARGLOT_DOCUMENT_STORES'] ?? '');
	const files = async () => (await jobs.open()).files;
	const stores = new DocumentStores(files, new WebDocuments(createProxiedFetch(env)));
	return { stores, allowed, batches: new DocumentBatches(() => jobs.open(), stores, allowed) };
}
