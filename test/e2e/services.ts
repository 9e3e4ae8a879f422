/** Services that want keys, on this machine: a hosted translator (HTTPS) and a model hub. They note what they are shown. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startHub, type TestHub } from '../support/hubServer.ts';

export interface Services {
	/** Leads the editor's server to both. */
	readonly env: Readonly<Record<string, string>>;
	/** Address of the translator. */
	readonly translator: string;
	/** Headers of every request for a translation, oldest first. */
	readonly translations: readonly IncomingHttpHeaders[];
	readonly hub: TestHub;
	stop(): Promise<void>;
}

/** @param dir Folder for the certificate. */
export async function startServices(dir: string): Promise<Services> {
	mkdirSync(dir, { recursive: true });
	const [certFile, keyFile] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
	const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
	const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
	execFileSync(
		'openssl',
		['req', '-x509', ...curve, '-keyout', keyFile, '-out', certFile, '-days', '2', ...name],
		{ stdio: 'ignore' },
	);
	const translations: IncomingHttpHeaders[] = [];
	const server = createServer(
		{ cert: readFileSync(certFile), key: readFileSync(keyFile) },
		(request, response) =>
			void (async () => {
				const url = new URL(request.url ?? '/', 'https://localhost');
				const texts = JSON.parse(await text(request)) as { Text: string }[];
				translations.push(request.headers);
				const to = url.searchParams.get('to') ?? '';
				const rows = texts.map(({ Text }) => ({
					detectedLanguage: { language: 'en', score: 1 },
					translations: [{ text: `hosted ${to}: ${Text}`, to }],
				}));
				response.setHeader('content-type', 'application/json').end(JSON.stringify(rows));
			})().catch(() => response.destroy()),
	);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const hub = await startHub({});
	return {
		env: { NEARGLOT_CA_FILE: certFile, HF_ENDPOINT: hub.url },
		translator: `https://localhost:${(server.address() as AddressInfo).port}`,
		translations,
		hub,
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
			await hub[Symbol.asyncDispose]();
		},
	};
}
