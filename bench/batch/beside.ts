/**
 * People beside a batch: the first text of short requests while a batch rests and while it runs, in turn in one run, and
 * the items a second of a batch beside those of as many interactive requests at a time.
 */

import { parseArgs } from 'node:util';
import { kinds, type Server } from '../beside/kinds.ts';
import { startDaemon } from '../soak/daemon.ts';

const rounds = 6;
/** Each look costs the daemon milliseconds that are not the batch's. */
const pollMs = 100;

interface Batch {
	readonly id: string;
	readonly status: string;
	readonly request_counts: { readonly total: number; readonly completed: number };
	readonly progress: { readonly items: number } | null;
}

async function call<T>({ url, key }: Server, path: string, body?: object): Promise<T> {
	const isForm = body instanceof FormData;
	const response = await fetch(url + path, {
		method: body === undefined ? 'GET' : 'POST',
		headers: {
			authorization: `Bearer ${key}`,
			...(isForm ? {} : { 'content-type': 'application/json' }),
		},
		...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
	});
	if (!response.ok)
		throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
	return (await response.json()) as T;
}

/** A request of an item, none like another. */
function itemOf(
	kind: string,
	id: number,
	model = 'starter-chat',
): { readonly url: string; readonly body: object } {
	if (kind === 'translate')
		return {
			url: '/translate?api-version=3.0&from=en&to=de',
			body: [
				{
					Text: `The folder of request ${id} could not be opened because ${id * 7} files are in it.`,
				},
			],
		};
	const content = `extract the archive number ${id} with ${id * 13} files into a folder`;
	return {
		url: '/v1/chat/completions',
		body: {
			...{ model, temperature: 0, max_tokens: 48 },
			messages: [{ role: 'user', content }],
		},
	};
}

async function begin(
	server: Server,
	kind: string,
	from: number,
	count: number,
	model?: string,
): Promise<Batch> {
	const lines = Array.from({ length: count }, (_, at) => {
		const { url, body } = itemOf(kind, from + at, model);
		return `${JSON.stringify({ custom_id: `${at}`, method: 'POST', url, body })}\n`;
	});
	const form = new FormData();
	form.set('purpose', 'batch');
	form.set('file', new Blob(lines), 'in.jsonl');
	const { id } = await call<{ id: string }>(server, '/v1/files', form);
	const endpoint = itemOf(kind, 0).url.split('?', 1)[0];
	return call(server, '/v1/batches', { input_file_id: id, endpoint, completion_window: '24h' });
}

const quantile = (values: readonly number[], share: number): number => {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
};

/** Prints both figures of each kind. */
export async function runBesideBatch(args: readonly string[]): Promise<number> {
	const { values } = parseArgs({
		args: [...args],
		options: {
			requests: { type: 'string', default: '15' },
			items: { type: 'string', default: '600' },
			only: { type: 'string', default: 'chat,translate' },
			/** Folder of a chat model in the place of the built-in one. */
			chat: { type: 'string' },
		},
	});
	const own = 'beside-chat';
	const model = values.chat === undefined ? 'starter-chat' : own;
	const models = values.chat === undefined ? {} : { [own]: values.chat };
	const daemon = await startDaemon({ models });
	try {
		for (const kind of values.only.split(',')) {
			if (Number(values.requests) > 0)
				await firstTexts(daemon, kind, model, Number(values.requests));
			if (Number(values.items) > 0) await throughput(daemon, kind, model, Number(values.items));
		}
		return 0;
	} finally {
		await daemon.stop();
	}
}

async function firstTexts(
	server: Server,
	kind: string,
	model: string,
	requests: number,
): Promise<void> {
	const name = kind === 'translate' ? 'translation' : kind;
	const one = kinds({ chat: model, embedder: undefined }).find((each) =>
		each.name.startsWith(name),
	);
	if (one === undefined) throw new Error(`No kind ${name}.`);
	let turn = 5_000_000;
	const times = async (count: number): Promise<number[]> => {
		const list: number[] = [];
		for (let at = 0; at < count; at++) list.push(await one.short(server, turn++));
		return list;
	};
	await times(5);
	const { id } = await begin(server, kind, 100_000, 20_000, model);
	const lists = { alone: [] as number[], beside: [] as number[] };
	for (let round = 0; round < rounds; round++)
		for (const [which, action] of [
			['alone', 'pause'],
			['beside', 'resume'],
		] as const) {
			await call(server, `/v1/batches/${id}/${action}`, {});
			await new Promise((resolve) => setTimeout(resolve, 1500));
			lists[which].push(...(await times(requests)));
		}
	await call(server, `/v1/batches/${id}/cancel`, {});
	const shown = [0.5, 0.95].map((share) => {
		const [alone, beside] = [quantile(lists.alone, share), quantile(lists.beside, share)];
		return `p${share * 100} ${alone.toFixed(1)} ms alone, ${beside.toFixed(1)} beside: ${(beside / alone).toFixed(2)}`;
	});
	console.log(`${kind}, first text: ${shown.join('; ')}`);
}

async function throughput(
	server: Server,
	kind: string,
	model: string,
	count: number,
): Promise<void> {
	const measured: Record<string, number[]> = {};
	for (let round = 0; round < 3; round++)
		for (const width of [0, 4, 8, 16]) {
			const from = 1_000_000 * (round + 1) + width * 20_000;
			const began = performance.now();
			if (width === 0) {
				const { id } = await begin(server, kind, from, count, model);
				for (let done = false; !done; ) {
					await new Promise((resolve) => setTimeout(resolve, pollMs));
					done = (await call<Batch>(server, `/v1/batches/${id}`)).status === 'completed';
				}
			} else {
				const ids = Array.from({ length: count }, (_, at) => from + at).values();
				const lane = async (): Promise<void> => {
					for (const id of ids) {
						const { url, body } = itemOf(kind, id, model);
						await call(server, url, body);
					}
				};
				await Promise.all(Array.from({ length: width }, lane));
			}
			const name = width === 0 ? 'batch' : `${width} at a time`;
			measured[name] = [...(measured[name] ?? []), (count / (performance.now() - began)) * 1000];
		}
	const medians = Object.entries(measured).map(
		([name, list]) => [name, quantile(list, 0.5)] as const,
	);
	const batch = medians[0]?.[1] ?? Number.NaN;
	const best = Math.max(...medians.slice(1).map(([, rate]) => rate));
	console.log(
		`${kind}, items a second: ${medians.map(([name, rate]) => `${name} ${rate.toFixed(1)}`).join(', ')}; batch / best ${(batch / best).toFixed(2)}`,
	);
}
