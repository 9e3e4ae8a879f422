/** Objects in S3, or what speaks its interface with conditional writes. Credentials and region are those of the AWS SDK. */

import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
	AbortMultipartUploadCommand,
	CompleteMultipartUploadCommand,
	CreateMultipartUploadCommand,
	DeleteObjectCommand,
	GetObjectCommand,
	HeadObjectCommand,
	ListObjectsV2Command,
	PutObjectCommand,
	S3Client,
	UploadPartCommand,
} from '@aws-sdk/client-s3';
import { AppError } from '../protocol/index.ts';
import { checkKey, notStored, type ObjectContent, type ObjectStore } from './objectStore.ts';
import type { S3Place } from './s3Place.ts';

/** S3 takes no smaller parts, but for the last. */
const partBytes = 8 * 1_048_576;
/** For so long a service may say and take nothing, so that no answer is waited for without an end. */
const usualAnswerMs = 60_000;

/**
 * Opens a bucket, and looks whether it refuses what is made twice.
 * @param answerMs milliseconds for which its service may say and take nothing
 * @throws AppError `store_unavailable` for one that is away; `invalid_request` for one that refuses, or knows no
 * conditional writes, by which one of two that finish at once is refused
 */
export async function openS3Store(place: S3Place, answerMs = usualAnswerMs): Promise<ObjectStore> {
	const store = new S3Store(place, answerMs);
	const probe = `probe-${randomBytes(6).toString('hex')}`;
	try {
		await store.write(probe, new Uint8Array(1), true);
		if (await store.write(probe, new Uint8Array(1), true))
			throw new AppError(
				'invalid_request',
				`The service of the bucket '${place.bucket}' writes an object twice where it should refuse (If-None-Match), so results could be doubled. Use one with conditional writes.`,
			);
		return store;
	} catch (error) {
		await store[Symbol.asyncDispose]();
		throw error instanceof AppError && isRefusal(error.cause)
			? new AppError('invalid_request', error.message, { cause: error })
			: error;
	} finally {
		await store.remove(probe).catch(() => {});
	}
}

const statusOf = (error: unknown): number | undefined =>
	error instanceof Error
		? (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata
				?.httpStatusCode
		: undefined;

/** Whether no waiting mends it: a bucket that is not there, or credentials that are none. */
function isRefusal(error: unknown): boolean {
	const status = statusOf(error) ?? 0;
	const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429;
	return isRefused || (error instanceof Error && error.name === 'CredentialsProviderError');
}

class S3Store implements ObjectStore {
	readonly #client: S3Client;
	/** For content: whoever reads it may take a while between two parts, and its connection rests meanwhile. */
	readonly #reader: S3Client;
	readonly #place: S3Place;
	readonly #answerMs: number;

	constructor(place: S3Place, answerMs: number) {
		this.#place = place;
		this.#answerMs = answerMs;
		const { endpoint, pathStyle } = place;
		const common = {
			...(endpoint === undefined
				? {}
				: { endpoint, region: process.env['AWS_REGION'] ?? 'us-east-1' }),
			forcePathStyle: pathStyle,
			// Other services know the newer checksums only in part.
			requestChecksumCalculation: 'WHEN_REQUIRED',
			responseChecksumValidation: 'WHEN_REQUIRED',
		} as const;
		// Uploads take as long as they take: what ends them is a connection on which nothing moves.
		const silent = { connectionTimeout: 5000, socketTimeout: answerMs };
		this.#client = new S3Client({ ...common, requestHandler: silent });
		// `requestTimeout` is only warned of, unless it is said to throw; it ends with the head of an answer.
		const late = {
			...{ connectionTimeout: 5000, requestTimeout: answerMs, throwOnRequestTimeout: true },
		};
		this.#reader = new S3Client({ ...common, requestHandler: late });
	}

	async put(key: string, content: ObjectContent): Promise<void> {
		await this.write(key, content, false);
	}

	async putIfAbsent(key: string, content: ObjectContent): Promise<boolean> {
		if ((await this.size(key)) !== undefined) return false;
		return this.write(key, content, true);
	}

	async *read(key: string, start = 0, end?: number): AsyncIterable<Uint8Array> {
		if (end !== undefined && end <= start) return;
		const isAll = start === 0 && end === undefined;
		try {
			const { Body: body } = await this.#reader.send(
				new GetObjectCommand({
					...this.#at(key),
					...(isAll ? {} : { Range: `bytes=${start}-${end === undefined ? '' : end - 1}` }),
				}),
			);
			yield* inTime(body as Readable, this.#answerMs);
		} catch (error) {
			// Nothing lies behind the end.
			if (statusOf(error) === 416) return;
			if (statusOf(error) === 404) throw notStored(key);
			throw this.#unusable(error, 'read');
		}
	}

	async size(key: string): Promise<number | undefined> {
		try {
			const { ContentLength: bytes = 0 } = await this.#client.send(
				new HeadObjectCommand(this.#at(key)),
			);
			return bytes;
		} catch (error) {
			if (statusOf(error) === 404) return undefined;
			throw this.#unusable(error, 'read');
		}
	}

	async remove(key: string): Promise<void> {
		try {
			await this.#client.send(new DeleteObjectCommand(this.#at(key)));
		} catch (error) {
			if (statusOf(error) !== 404) throw this.#unusable(error, 'removed');
		}
	}

	async *list(prefix: string): AsyncIterable<string> {
		const { bucket, prefix: root } = this.#place;
		for (let token: string | undefined; ; ) {
			const page = await this.#client
				.send(
					new ListObjectsV2Command({
						...{ Bucket: bucket, Prefix: root + prefix },
						...(token === undefined ? {} : { ContinuationToken: token }),
					}),
				)
				.catch((error) => {
					throw this.#unusable(error, 'listed');
				});
			for (const { Key: key } of page.Contents ?? [])
				if (key !== undefined) yield key.slice(root.length);
			token = page.NextContinuationToken;
			if (token === undefined) return;
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#client.destroy();
		this.#reader.destroy();
	}

	#at(key: string): { Bucket: string; Key: string } {
		return { Bucket: this.#place.bucket, Key: this.#place.prefix + checkKey(key) };
	}

	/** Without looking first. False: there is one already, and the service has refused a second. */
	async write(key: string, content: ObjectContent, isNew: boolean): Promise<boolean> {
		const condition = isNew ? ({ IfNoneMatch: '*' } as const) : {};
		const parts = content instanceof Uint8Array ? undefined : partsOf(content);
		const first = content instanceof Uint8Array ? content : (await parts?.next())?.value;
		const second = await parts?.next();
		try {
			if (second === undefined || second.done === true)
				await this.#client.send(
					new PutObjectCommand({
						...{ ...this.#at(key), Body: first ?? new Uint8Array(0) },
						...condition,
					}),
				);
			else await this.#writeParts(key, first ?? new Uint8Array(0), second.value, parts, condition);
			return true;
		} catch (error) {
			// 409: another one is being written at this moment, and one of the two comes to be.
			if (isNew && statusOf(error) === 412) return false;
			if (isNew && statusOf(error) === 409 && (await this.size(key)) !== undefined) return false;
			throw this.#unusable(error, 'written');
		}
	}

	async #writeParts(
		key: string,
		first: Uint8Array,
		second: Uint8Array,
		rest: AsyncIterable<Uint8Array> | undefined,
		condition: { readonly IfNoneMatch?: '*' },
	): Promise<void> {
		const at = this.#at(key);
		const { UploadId: upload } = await this.#client.send(new CreateMultipartUploadCommand(at));
		const done: { PartNumber: number; ETag: string | undefined }[] = [];
		const send = async (part: Uint8Array): Promise<void> => {
			const number = done.length + 1;
			const { ETag: tag } = await this.#client.send(
				new UploadPartCommand({ ...at, UploadId: upload, PartNumber: number, Body: part }),
			);
			done.push({ PartNumber: number, ETag: tag });
		};
		try {
			await send(first);
			await send(second);
			for await (const part of rest ?? []) await send(part);
			await this.#client.send(
				new CompleteMultipartUploadCommand({
					...{ ...at, UploadId: upload, MultipartUpload: { Parts: done } },
					...condition,
				}),
			);
		} catch (error) {
			await this.#client
				.send(new AbortMultipartUploadCommand({ ...at, UploadId: upload }))
				.catch(() => {});
			throw error;
		}
	}

	#unusable(error: unknown, verb: string): AppError {
		if (error instanceof AppError) return error;
		const status = statusOf(error);
		if (status !== undefined && status >= 500)
			return new AppError(
				'store_unavailable',
				`The bucket '${this.#place.bucket}' cannot be ${verb}: its service answers ${status}. Batches go on when it works again.`,
				{ cause: error },
			);
		if (error instanceof Error && error.name === 'TimeoutError')
			return new AppError(
				'store_unavailable',
				`The bucket '${this.#place.bucket}' cannot be ${verb}: its service does not answer. Batches go on when it works again.`,
				{ cause: error },
			);
		const reason = error instanceof Error ? error.name || error.message : String(error);
		const said = error instanceof Error && error.message !== reason ? ` (${error.message})` : '';
		return new AppError(
			'store_unavailable',
			`The bucket '${this.#place.bucket}' cannot be ${verb}: ${reason}${said}. Check its name, the credentials (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION or those of the machine), and the service.`,
			{ cause: error },
		);
	}
}

/** The parts of an answer; one that is waited for too long ends it. */
async function* inTime(body: Readable, answerMs: number): AsyncGenerator<Uint8Array> {
	const parts = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
	try {
		for (;;) {
			const late = setTimeout(() => {
				body.destroy(Object.assign(new Error('The answer breaks off.'), { name: 'TimeoutError' }));
			}, answerMs);
			const part = await parts.next().finally(() => clearTimeout(late));
			if (part.done === true) return;
			yield part.value;
		}
	} finally {
		await parts.return?.();
	}
}

/** What comes, in parts of one size but for the last. */
async function* partsOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let held: Uint8Array[] = [];
	let bytes = 0;
	for await (const part of content) {
		held.push(part);
		bytes += part.byteLength;
		if (bytes < partBytes) continue;
		const all = Buffer.concat(held);
		held = [];
		let from = 0;
		for (; bytes - from >= partBytes; from += partBytes) yield all.subarray(from, from + partBytes);
		if (from < bytes) held.push(Buffer.from(all.subarray(from)));
		bytes -= from;
	}
	if (bytes > 0) yield Buffer.concat(held);
}
