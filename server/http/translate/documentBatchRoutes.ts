/** `/translator/document/batches`: batches of documents in the form of the hosted service. */

import type { Context, Hono } from 'hono';
import type { Backend } from '../../daemon/backend.ts';
import { documentPlace, shownUrl, urlOf } from '../../jobs/documentAddresses.ts';
import { type DocumentEntry, groupField, runningOf } from '../../jobs/documentService.ts';
import type { JobOwner } from '../../jobs/jobTypes.ts';
import { type BatchView, translationsField } from '../../jobs/personBatches.ts';
import { defined } from '../../protocol/defined.ts';
import { AppError } from '../../protocol/index.ts';
import { check } from '../../protocol/routes/check.ts';
import {
	cancelDocumentBatchRoutes,
	type DocumentOperation,
	type DocumentState,
	type DocumentStatus,
	documentBatchBody,
	documentBatchRequest,
	listBatchDocumentRoutes,
	listDocumentBatchRoutes,
	showBatchDocumentRoutes,
	showDocumentBatchRoutes,
	startDocumentBatchRoutes,
} from '../../protocol/routes/documentBatches.ts';
import { unreadFields } from '../../protocol/routes/fields.ts';
import type { Route } from '../../protocol/routes/route.ts';
import { personOfKey } from '../../services/limits/keyStore.ts';
import type { TranslateCaller } from '../../services/translate/translateAccess.ts';
import type { AppEnv } from '../env.ts';
import { answerJson } from '../jsonAnswer.ts';
import { register } from '../register.ts';
import { readJson } from '../requestBody.ts';
import { anonymousPerson, localPerson, personOf } from '../requestPerson.ts';
import { type DocumentCall, documentOperation } from './documentOperation.ts';
import { listedPage } from './listedPage.ts';

export function registerDocumentBatchRoutes(app: Hono<AppEnv>, backend: Backend): void {
	const { batches } = backend.documents;
	const operation = documentOperation(backend);
	const add = (
		routes: readonly Route[],
		handler: (call: DocumentCall, owner: JobOwner) => Promise<Response>,
	): void => {
		for (const route of routes) {
			const handle = operation([route.method, 'HEAD'], (call) =>
				handler(call, ownerOf(call, backend)),
			);
			register(app, route, ({ context }) => handle(context));
		}
	};
	const idOf = ({ context }: DocumentCall): string => context.req.param('id') ?? '';

	add(startDocumentBatchRoutes, async ({ context }, owner) => {
		const sent = await readJson(context, documentBatchBody);
		const request = check(documentBatchRequest, sent);
		const [unread] = unreadFields(documentBatchRequest, sent);
		if (unread !== undefined)
			throw new AppError('invalid_request', `'${unread.slice(0, 100)}' is not known here.`, {
				param: unread.slice(0, 100),
			});
		const origin = originOf(context);
		const again = context.req.header('idempotency-key') || undefined;
		const { record } = await batches.start(owner, request, origin, context.get('signal'), again);
		const location = `${origin}${context.req.path}/${record.id}?api-version=2024-05-01`;
		return context.body(null, 202, { 'operation-location': location });
	});

	add(listDocumentBatchRoutes, async ({ context, query }, { person }) => {
		const operations = (await batches.list(person)).map(operationOf);
		return answerJson(context, listedPage(operations, query, new URL(context.req.url)));
	});

	add(showDocumentBatchRoutes, async (call, { person }) =>
		answerJson(call.context, operationOf(await batches.get(person, idOf(call)))),
	);

	add(cancelDocumentBatchRoutes, async (call, { person }) => {
		const view = await batches.cancel(person, idOf(call)).catch((error) => {
			// As the interface has it.
			if (error instanceof AppError && error.code === 'conflict')
				throw new AppError('invalid_request', error.message);
			throw error;
		});
		return answerJson(call.context, operationOf(view));
	});

	const statesOf = async (call: DocumentCall, person: string): Promise<DocumentState[]> => {
		const view = await batches.get(person, idOf(call));
		const entries = await batches.entries(person, view);
		const active = runningOf(view.record.metadata?.[groupField] ?? '');
		return entries.map((entry) => stateOf(entry, view, active, backend.documents.allowed));
	};
	add(listBatchDocumentRoutes, async (call, { person }) => {
		const states = await statesOf(call, person);
		return answerJson(call.context, listedPage(states, call.query, new URL(call.context.req.url)));
	});
	add(showBatchDocumentRoutes, async (call, { person }) => {
		const wanted = call.context.req.param('documentId') ?? '';
		const found = (await statesOf(call, person)).find(({ id }) => id === wanted);
		if (found === undefined)
			throw new AppError('not_found', `The batch has no document '${wanted.slice(0, 100)}'.`);
		return answerJson(call.context, found);
	});
}

const originOf = (context: Context<AppEnv>): string => new URL(context.req.url).origin;

/**
 * In whose name the documents are asked for, and whose the batch is.
 * @throws AppError `forbidden` for who cannot be told from others
 */
function ownerOf({ context, caller }: DocumentCall, backend: Backend): JobOwner {
	const key = context.get('personKey') ?? keyOf(caller, backend);
	if (key !== undefined) return { caller: 'member', person: personOfKey(key.id), keyId: key.id };
	if (caller.id === 'owner') return { caller: 'owner', person: localPerson };
	const role = context.get('caller');
	const person = personOf(context);
	if (person !== anonymousPerson && (role === 'member' || role === 'local'))
		return { caller: role, person };
	throw new AppError(
		'forbidden',
		'Batches are kept for people: sign in, or show a key that this server gave you (nearglot keys create).',
	);
}

const keyOf = ({ id }: TranslateCaller, { people }: Backend) => people.keys.byId(id);

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

function statusOf({ end, open }: BatchView): DocumentStatus {
	switch (end?.status) {
		case 'completed':
			return end.counts.completed > 0 ? 'Succeeded' : 'Failed';
		case 'cancelled':
			return 'Cancelled';
		case 'failed':
			return 'ValidationFailed';
		case 'expired':
			return 'Failed';
		default: {
			if (open?.cancelledAt !== undefined) return 'Cancelling';
			const group = open?.record.metadata?.[groupField] ?? '';
			return (open?.done.size ?? 0) + runningOf(group).size > 0 ? 'Running' : 'NotStarted';
		}
	}
}

function operationOf(view: BatchView): DocumentOperation {
	const { record, end, open } = view;
	// Lines of the batch, once they are counted.
	const counted = end?.counts.total ?? open?.manifest?.total ?? 0;
	const total = counted > 0 ? counted : Number(record.metadata?.[translationsField] ?? 0);
	const { completed, failed } = end?.counts ??
		open?.done.counts(total) ?? { completed: 0, failed: 0 };
	const inProgress = end === undefined ? runningOf(record.metadata?.[groupField] ?? '').size : 0;
	const rest = Math.max(0, total - completed - failed - inProgress);
	const [problem] = end?.problems ?? [];
	const status = statusOf(view);
	const said =
		problem?.message ??
		(end?.status === 'expired' ? 'The batch was not done within its time.' : undefined) ??
		(status === 'Failed' ? 'No document could be translated; each says why.' : undefined);
	return {
		id: record.id,
		createdDateTimeUtc: timeOf(record.createdAt * 1000),
		lastActionDateTimeUtc: timeOf((end?.at ?? Date.now() / 1000) * 1000),
		status,
		...defined({ error: said === undefined ? undefined : errorOf('InvalidRequest', said) }),
		summary: {
			...{ total, failed, success: completed, inProgress },
			notYetStarted: end === undefined ? rest : 0,
			cancelled: end === undefined ? 0 : rest,
			totalCharacterCharged: (end?.usage ?? open?.done.usage)?.input ?? 0,
		},
	};
}

const errorOf = (code: string, message: string, inner = code) => ({
	...{ code, message },
	innerError: { code: inner, message },
});

function stateOf(
	{ id, work, outcome }: DocumentEntry,
	{ record, end }: BatchView,
	active: ReadonlySet<string>,
	allowed: readonly URL[],
): DocumentState {
	const { source, target, origin, to } = work;
	const { error, path, characters, at, isCancelled = false } = outcome ?? {};
	const { refused, texts, quality } = outcome ?? {};
	const isRunning = active.has(target.fileId);
	const status: DocumentStatus =
		error !== undefined
			? 'Failed'
			: isCancelled
				? 'Cancelled'
				: outcome !== undefined
					? 'Succeeded'
					: isRunning
						? 'Running'
						: 'NotStarted';
	return {
		...defined({ path }),
		sourcePath: placeText(source.url, origin, allowed),
		createdDateTimeUtc: timeOf(record.createdAt * 1000),
		lastActionDateTimeUtc: timeOf(at ?? (end?.at ?? record.createdAt) * 1000),
		status,
		to,
		...defined({ error: error && errorOf(error.code, error.message, error.inner) }),
		progress: status === 'Succeeded' ? 1 : 0,
		id,
		...defined({ characterCharged: characters, refused, texts, quality }),
	};
}

/** As it was named, without what opens it; also when the place is no longer allowed. */
function placeText(url: string, origin: string, allowed: readonly URL[]): string {
	try {
		return urlOf(documentPlace(url, origin, allowed, 'sourceUrl'), origin);
	} catch {
		return shownUrl(url);
	}
}
