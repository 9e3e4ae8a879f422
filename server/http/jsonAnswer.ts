/**
 * JSON answers, whatever their size: long ones are written in slices with turns of others between them,
 * since their length is chosen by whoever asked. Every JSON answer of a route is written here.
 */

import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { yieldToOthers } from '../work/yieldToOthers.ts';
import type { AppEnv } from './env.ts';

/** Values that are written in about a millisecond; so many characters count as one more. */
const sliceValues = 4000;
const charsPerValue = 250;

/** An answer with a value as JSON, and the headers noted on the context so far. */
export async function answerJson(
	context: Context<AppEnv>,
	value: unknown,
	status: ContentfulStatusCode = 200,
): Promise<Response> {
	return context.body(await jsonBytes(value), status, { 'content-type': 'application/json' });
}

/** As `JSON.stringify`, in UTF-8; only plain values, lists and objects. */
export async function jsonBytes(value: unknown): Promise<Uint8Array<ArrayBuffer>> {
	const encoder = new TextEncoder();
	const parts: Uint8Array<ArrayBuffer>[] = [];
	for (const part of slicesOf(value)) {
		await yieldToOthers();
		parts.push(encoder.encode(part));
	}
	const [first, ...rest] = parts;
	if (first !== undefined && rest.length === 0) return first;
	const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		bytes.set(part, at);
		at += part.length;
	}
	return bytes;
}

function* slicesOf(value: unknown): Generator<string> {
	if (sizeOf(value) <= sliceValues) yield JSON.stringify(value) ?? 'null';
	else if (Array.isArray(value)) yield* slicesOfList(value);
	else if (typeof value === 'object' && value !== null) {
		let mark = '{';
		for (const [key, each] of Object.entries(value)) {
			if (each === undefined) continue;
			yield `${mark}${JSON.stringify(key)}:`;
			yield* slicesOf(each);
			mark = ',';
		}
		yield mark === '{' ? '{}' : '}';
	} else yield JSON.stringify(value);
}

function* slicesOfList(list: readonly unknown[]): Generator<string> {
	let run: unknown[] = [];
	let size = 0;
	let mark = '[';
	for (const each of list) {
		const own = sizeOf(each);
		if (run.length > 0 && size + own > sliceValues) {
			yield mark + JSON.stringify(run).slice(1, -1);
			[run, size, mark] = [[], 0, ','];
		}
		if (own <= sliceValues) {
			run.push(each);
			size += own;
			continue;
		}
		yield mark;
		yield* slicesOf(each);
		mark = ',';
	}
	if (run.length > 0) yield mark + JSON.stringify(run).slice(1, -1);
	yield ']';
}

/** Values of a value, its own among them; counting ends when there are more than a slice has. */
function sizeOf(value: unknown, limit = sliceValues): number {
	if (typeof value === 'string') return 1 + value.length / charsPerValue;
	if (typeof value !== 'object' || value === null) return 1;
	let size = 1;
	if (Array.isArray(value) && value.length > limit) return limit + 1;
	for (const each of Array.isArray(value) ? value : Object.values(value)) {
		size += sizeOf(each, limit - size);
		if (size > limit) break;
	}
	return size;
}
