/**
 * Asks this server's own routes for the items of batches, in the name of whoever made them: what a route checks, charges
 * and answers is the same for an item as for a request of its own. Every item gives way to people who wait.
 */

import { openAsBlob } from 'node:fs';
import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import type { DocumentWork } from '../jobs/documentService.ts';
import {
	bodyText,
	errorAnswer,
	failureHeaders,
	formOfFields,
	type ItemAnswer,
	type ItemCall,
	type RunItem,
} from '../jobs/itemRow.ts';
import { documentEndpoint, type JobOwner, keys } from '../jobs/jobTypes.ts';
import { AppError, asAppError, setFormFile } from '../protocol/index.ts';
import type { CallerIdentity } from './callerRoles.ts';
import type { AppEnv } from './env.ts';
import { backgroundPriority } from './priority.ts';
import { documentItem } from './translate/documentItems.ts';

/** The app's own requests have no address; only its path counts. */
const origin = 'http://127.0.0.1';

export function itemRunner(app: Hono<AppEnv>, backend: Backend): RunItem {
	return async (call, signal, outside = (work) => work()) => {
		try {
			const { url } = call;
			const identity = identityOf(call.owner, backend);
			if (url.startsWith(documentEndpoint))
				return await documentItem(url, call.body as DocumentWork, {
					...{ identity, app, backend, signal, outside },
				});
			const init = await requestOf(call, backend);
			const request = new Request(origin + url, { ...init, method: 'POST', signal });
			const response = await app.request(request, undefined, {
				identity,
			});
			return await answerOf(response);
		} catch (error) {
			signal.throwIfAborted();
			return errorAnswer(asAppError(error, 'running an item of a batch'));
		}
	};
}

function identityOf({ caller, person, keyId }: JobOwner, backend: Backend): CallerIdentity {
	if (keyId === undefined) return { caller, person };
	const key = backend.people.keys.byId(keyId);
	const missing = missingKey({ keyId }, backend);
	if (missing !== undefined) throw missing;
	if (key === undefined)
		throw new AppError(
			'invalid_api_key',
			'The key with which this batch was made was revoked or has expired.',
		);
	return { caller, person, key };
}

/** Why nothing can be asked for here in the name of an owner: a key that another server has made. */
export function missingKey(
	{ keyId }: Pick<JobOwner, 'keyId'>,
	{ people }: Pick<Backend, 'people'>,
): AppError | undefined {
	if (keyId === undefined || !people.keys.isUnknown(keyId)) return undefined;
	return new AppError(
		'store_unavailable',
		`This server does not know the key '${keyId}' with which the batch was made. Servers that know it go on with it; keys come from the Redis that all servers share (--redis).`,
	);
}

async function requestOf(
	{ url, body, owner }: ItemCall,
	backend: Backend,
): Promise<Pick<RequestInit, 'headers' | 'body'>> {
	const headers = { host: '127.0.0.1', priority: backgroundPriority };
	if (!url.startsWith('/v1/audio/'))
		return {
			headers: { ...headers, 'content-type': 'application/json' },
			body: bodyText(body),
		};
	return { headers, body: await formOf(body as Record<string, unknown>, owner, backend) };
}

/** The form of a recording: its `file` is the id of an uploaded file. */
async function formOf(
	body: Record<string, unknown>,
	{ person }: JobOwner,
	backend: Backend,
): Promise<FormData> {
	const { file, ...rest } = body;
	if (typeof file !== 'string')
		throw new AppError(
			'invalid_request',
			"'file' must be the id of an uploaded file (POST /v1/files with purpose=user_data).",
			{ param: 'file' },
		);
	const { files } = await backend.jobs.open();
	const { filename } = await files.get(person, file);
	const form = formOfFields(rest);
	const path = backend.jobs.localPath(keys.fileContent(file));
	const content =
		path === undefined
			? await new Response(ReadableStream.from(await files.content(person, file))).blob()
			: await openAsBlob(path);
	setFormFile(form, content, filename);
	return form;
}

async function answerOf(response: Response): Promise<ItemAnswer> {
	const text = await response.text();
	const requestId =
		response.headers.get('x-request-id') ?? response.headers.get('x-requestid') ?? '';
	return {
		status: response.status,
		requestId,
		body: parsed(text, response.headers.get('content-type') ?? ''),
		...failureHeaders(response.headers),
	};
}

/** What is no JSON stays the text that it is, as subtitles are. */
function parsed(text: string, type: string): unknown {
	if (!type.includes('json')) return text;
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
