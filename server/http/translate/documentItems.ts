/** One document of a batch: read where it lies, translated by this server's own route, and written where it goes. */

import type { Hono } from 'hono';
import type { Backend } from '../../daemon/backend.ts';
import { documentPlace, lastPart, urlOf } from '../../jobs/documentAddresses.ts';
import { type DocumentWork, noteRunning } from '../../jobs/documentService.ts';
import { failureHeaders, type ItemAnswer } from '../../jobs/itemRow.ts';
import type { Outside } from '../../jobs/workPlaces.ts';
import { AppError } from '../../protocol/index.ts';
import { documentField, documentLimits, glossaryField } from '../../protocol/routes/documentApi.ts';
import { type DocumentCounts, documentBatchLimits } from '../../protocol/routes/documentBatches.ts';
import { glossaryFormats } from '../../translate/glossaryFile.ts';
import type { CallerIdentity } from '../callerRoles.ts';
import type { AppEnv } from '../env.ts';
import { backgroundPriority } from '../priority.ts';
import { countsHeader } from './translateReply.ts';

const origin = 'http://127.0.0.1';

/** In whose name, by what and how long a document is translated. */
export interface ItemRun {
	readonly identity: CallerIdentity;
	readonly app: Hono<AppEnv>;
	readonly backend: Backend;
	readonly signal: AbortSignal;
	/** For what comes from stores and goes there. */
	readonly outside: Outside;
}

/** @throws AppError what stands in the way of reading or writing; what translating says is the answer */
export async function documentItem(
	url: string,
	{ source, target, glossary, group, origin: known }: DocumentWork,
	{ identity, app, backend: { documents, jobs }, signal, outside }: ItemRun,
): Promise<ItemAnswer> {
	using _ = noteRunning(group, target.fileId);
	const { stores, allowed } = documents;
	const { person } = identity;
	const placeOf = (text: string, what: string) => documentPlace(text, known, allowed, what);
	const read = async (text: string, what: string, most: number): Promise<Blob> => {
		const place = placeOf(text, what);
		const bytes = await outside(() => stores.read(place, person, most, signal));
		return new Blob([new Uint8Array(bytes)], { type: 'application/octet-stream' });
	};
	const form = new FormData();
	const content = await read(source.url, 'sourceUrl', documentBatchLimits.documentBytes);
	form.append(documentField, content, source.name.slice(source.name.lastIndexOf('/') + 1));
	if (glossary !== undefined) {
		const bytes = await read(glossary.url, 'glossaryUrl', documentLimits.glossaryBytes);
		form.append(glossaryField, bytes, await glossaryName(glossary, stores, known, allowed, person));
	}
	const request = new Request(origin + url, {
		method: 'POST',
		headers: { host: '127.0.0.1', priority: backgroundPriority },
		body: form,
		signal,
	});
	const response = await app.request(request, undefined, { identity });
	const requestId = response.headers.get('x-requestid') ?? '';
	const { status } = response;
	if (!response.ok) return { status, requestId, ...(await failureOf(response)) };
	const bytes = new Uint8Array(await response.arrayBuffer());
	const { limits } = await jobs.open();
	const result = {
		...{ id: target.fileId, name: target.name, expiresInS: limits.keepDays * 86_400 },
	};
	const place = placeOf(target.url, 'targetUrl');
	const written = await outside(() => stores.write(place, bytes, person, result, signal));
	const figure = (name: string): number | undefined => {
		const value = response.headers.get(name);
		return value === null ? undefined : Number(value);
	};
	return {
		...{ status, requestId },
		body: {
			path: urlOf(written, known),
			usage: { characters: figure('x-metered-usage') ?? 0 },
			quality: figure('x-nearglot-quality'),
			refused: figure('x-nearglot-refused'),
			texts: countsOf(response.headers.get(countsHeader) ?? ''),
			at: Date.now(),
		},
	};
}

function countsOf(header: string): DocumentCounts {
	const [pieces = 0, translated = 0, partly = 0, refused = 0] = header.split(',').map(Number);
	return { pieces, translated, partly, refused };
}

/** A name that tells the format; what the interface calls it comes first. */
async function glossaryName(
	{ url, format }: NonNullable<DocumentWork['glossary']>,
	stores: Backend['documents']['stores'],
	known: string,
	allowed: readonly URL[],
	person: string,
): Promise<string> {
	const named = format?.toLowerCase();
	if (named !== undefined && Object.hasOwn(glossaryFormats, named)) return `glossary.${named}`;
	if (named !== undefined)
		throw new AppError(
			'invalid_request',
			`'${format?.slice(0, 40)}' is no format of a glossary. Known: ${Object.keys(glossaryFormats).join(', ')}.`,
			{ param: 'glossaries' },
		);
	const place = documentPlace(url, known, allowed, 'glossaryUrl');
	return place.kind === 'web' ? lastPart(place.url) : stores.nameOf(place, person);
}

/** What a batch waits for has the codes that its items know. */
async function failureOf(response: Response): Promise<Omit<ItemAnswer, 'status' | 'requestId'>> {
	const body = (await response.json()) as { readonly error: Readonly<Record<string, unknown>> };
	const waits = new Map([
		[429, 'rate_limited'],
		[503, 'overloaded'],
		[500, 'internal'],
	]);
	const said = failureHeaders(response.headers);
	const usual = waits.get(response.status);
	const code = usual === undefined ? body.error['code'] : (said.code ?? usual);
	return { body: { error: { ...body.error, code } }, ...said };
}
