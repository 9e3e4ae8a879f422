/** `/v1/files`: uploaded, listed, read and deleted. */

import { createReadStream } from 'node:fs';
import type { Hono } from 'hono';
import type { Backend } from '../daemon/backend.ts';
import type { FileRecord } from '../jobs/jobTypes.ts';
import { AppError } from '../protocol/index.ts';
import { check } from '../protocol/routes/check.ts';
import {
	deleteFile,
	type FileAnswer,
	fileContent,
	fileForm,
	listFiles,
	showFile,
	uploadField,
	uploadFile,
} from '../protocol/routes/uploadedFiles.ts';
import { scratchIn } from '../store/scratch.ts';
import type { AppEnv } from './env.ts';
import { register } from './register.ts';
import { personOf } from './requestPerson.ts';
import { readUpload } from './upload.ts';

/** What a file may be for: what nothing is done with is not kept. */
const purposes = ['batch', 'user_data'];

const answerOf = (record: FileRecord): FileAnswer => ({
	id: record.id,
	object: 'file',
	bytes: record.bytes,
	created_at: record.createdAt,
	expires_at: record.expiresAt ?? null,
	filename: record.filename,
	purpose: record.purpose,
	status: 'processed',
	sha256: record.sha256,
});

export function registerFileRoutes(app: Hono<AppEnv>, backend: Backend): void {
	register(app, uploadFile, async ({ context, answer }) => {
		const { files, limits } = await backend.jobs.open();
		const person = personOf(context);
		await using upload = await readUpload(context, {
			field: uploadField,
			limitBytes: limits.fileBytes,
			scratch: scratchIn(backend.settings.dataDir),
			what: 'file',
			checkRoom: (bytes) => files.checkRoom(person, bytes),
		});
		const form = check(fileForm, Object.fromEntries(upload.fields));
		if (!purposes.includes(form.purpose))
			throw new AppError(
				'invalid_request',
				`'purpose' must be one of ${purposes.join(', ')}: this server does nothing else with files.`,
				{ param: 'purpose' },
			);
		const expiresInS = form['expires_after[seconds]'];
		const anchor = form['expires_after[anchor]'];
		if (
			(anchor ?? 'created_at') !== 'created_at' ||
			(anchor === undefined) !== (expiresInS === undefined)
		)
			throw new AppError(
				'invalid_request',
				"'expires_after' takes the anchor 'created_at' and a number of seconds.",
				{ param: 'expires_after' },
			);
		const record = await files.upload(person, createReadStream(upload.path), upload.sizeBytes, {
			filename: upload.fileName.slice(0, 255) || 'upload',
			purpose: form.purpose,
			...(expiresInS !== undefined
				? { expiresInS }
				: form.purpose === 'batch'
					? { expiresInS: limits.keepDays * 86_400 }
					: {}),
		});
		return await answer(answerOf(record));
	});

	register(app, listFiles, async ({ context, query, answer }) => {
		const { files } = await backend.jobs.open();
		const { limit = 10_000, order = 'desc', after, purpose } = query;
		const range = { limit, order, ...(after === undefined ? {} : { after }) };
		const { items, hasMore } = await files.list(personOf(context), range, purpose);
		return answer({
			object: 'list',
			data: items.map(answerOf),
			first_id: items[0]?.id ?? null,
			last_id: items.at(-1)?.id ?? null,
			has_more: hasMore,
		});
	});

	register(app, showFile, async ({ context, answer }) => {
		const { files } = await backend.jobs.open();
		return answer(answerOf(await files.get(personOf(context), context.req.param('id'))));
	});

	register(app, fileContent, async ({ context }) => {
		const { files } = await backend.jobs.open();
		const id = context.req.param('id');
		const record = await files.get(personOf(context), id);
		const content = await files.content(personOf(context), id);
		return context.body(ReadableStream.from(content) as ReadableStream<Uint8Array>, 200, {
			'content-type': 'application/octet-stream',
			'content-length': String(record.bytes),
			'content-disposition': 'attachment',
		});
	});

	register(app, deleteFile, async ({ context, answer }) => {
		const { files } = await backend.jobs.open();
		const id = context.req.param('id');
		await files.delete(personOf(context), id);
		return answer({ id, object: 'file', deleted: true });
	});
}
