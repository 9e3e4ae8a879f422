/** A server whose hub is on loopback and has one repository: a model, and another in a folder of it. */

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startHub, type TestHub } from '../support/hubServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTestServer, type TestServer } from '../support/testServer.ts';

const starter = fileURLToPath(new URL('../../starter/models/starter-chat', import.meta.url));

export interface CatalogueRow {
	readonly name: string;
	readonly alias: string;
	readonly version: string;
	readonly uri: string;
	readonly providerType: string;
	readonly publisher: string;
	readonly license: string;
	readonly promptTemplate: unknown;
	readonly parentModelUri: string;
	readonly fileSizeMb: number;
	readonly modelSettings: { readonly parameters: readonly unknown[] };
}

export interface DownloadServer {
	/** Folder of the test; downloads may go to `more` below it. */
	readonly home: string;
	readonly hub: TestHub;
	readonly server: TestServer;
	/** Asks with the key. */
	download(body: unknown): Promise<Response>;
	/** The object at the end of a download's answer. */
	result(body: unknown): Promise<Record<string, unknown>>;
	listed(name: string): Promise<CatalogueRow | undefined>;
	close(): Promise<void>;
}

/** Address of the repository. */
export const tinyUri = 'https://huggingface.co/acme/tiny';

export const lastOf = (text: string): Record<string, unknown> =>
	JSON.parse(text.split('\n').at(-1) ?? '');

/** @param repository the one the hub has */
export async function startDownloadServer(repository = 'acme/tiny'): Promise<DownloadServer> {
	const home = temporaryFolder('downloads');
	const names = [
		'config.json',
		'generation_config.json',
		'tokenizer.json',
		'tokenizer_config.json',
	];
	const graph = await readFile(join(starter, 'onnx', 'model_quantized.onnx'));
	const content: Record<string, Buffer> = {
		'onnx/model_q4.onnx': graph,
		'onnx/model_q4f16.onnx': graph,
		'exports/small/onnx/model_q8.onnx': graph,
		'exports/small/onnx/model_quantized.onnx': graph,
	};
	for (const name of names) {
		const bytes = await readFile(join(starter, name));
		content[name] = bytes;
		content[`exports/small/${name}`] = bytes;
	}
	const hub = await startHub(content, {}, repository);
	const server = await startTestServer({
		fakeRunner: true,
		modelsDir: join(home, 'models'),
		env: { HF_ENDPOINT: hub.url, NO_PROXY: '*' },
		settings: { modelRoots: [join(home, 'more')] },
	});
	const download = (body: unknown) =>
		server.post('/openai/download', body, { headers: { ...server.keyed } });
	return {
		home,
		hub,
		server,
		download,
		result: async (body) => lastOf(await (await download(body)).text()),
		listed: async (name) => {
			const answer = await (await fetch(`${server.url}/svc/list`)).json();
			const { models } = answer as { readonly models: readonly CatalogueRow[] };
			return models.find((model) => model.name === name);
		},
		close: async () => {
			await server.close();
			await hub[Symbol.asyncDispose]();
			await rm(home, { recursive: true, force: true });
		},
	};
}
