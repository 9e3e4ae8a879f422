/** One file of every format through every door: the same bytes come out. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { formatSamples } from '../fixtures/formatSamples.ts';
import { connectFront } from '../support/editorDouble.ts';
import { programArgs } from '../support/program.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { serverSecret } from '../support/testServer.ts';
import { startTranslateServer, type TranslateServer } from '../support/translateServer.ts';
import { zipOf } from '../support/zipOf.ts';
import { textsOf, wordFile } from '../translate/documents/officeFiles.ts';

const home = temporaryFolder('formatdoors');
let server: TranslateServer;
const archives = new Map<string, Uint8Array>();

before(async () => {
	server = await startTranslateServer({ languages: ['de', 'en', 'es', 'fr'] });
	const { url, key } = server;
	const about = { pid: process.pid, version: '9.9.9', startedAt: '' };
	const endpoint = { ...about, url, key, secret: serverSecret };
	await writeFile(join(home, 'endpoint.json'), JSON.stringify(endpoint));
	await mkdir(join(home, 'in'));
	const words =
		'<w:p><w:r><w:t>Open the file </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>now</w:t></w:r></w:p>';
	archives.set('x.docx', await wordFile(words));
	const paragraph = '<text:p>Open <text:span text:style-name="b">the file</text:span> now</text:p>';
	const content = `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text>${paragraph}</office:text></office:body></office:document-content>`;
	const mimetype = 'application/vnd.oasis.opendocument.text';
	archives.set('y.odt', await zipOf({ mimetype, 'content.xml': content }, ['mimetype']));
	for (const [name, text] of Object.entries(formatSamples))
		await writeFile(join(home, 'in', name), text);
	for (const [name, bytes] of archives) await writeFile(join(home, 'in', name), bytes);
});
after(() => server.close());

const fromCommandLine = async (): Promise<(name: string) => Promise<Uint8Array>> => {
	const files = [...Object.keys(formatSamples), ...archives.keys()].map((name) => `in/${name}`);
	const args = ['translate', ...files, '--to', 'de', '--from', 'en', '--out', 'made/{name}{ext}'];
	const child = spawn(process.execPath, programArgs(...args), {
		...{ cwd: home, env: { ...process.env, NEARGLOT_HOME: home } },
		stdio: ['ignore', 'ignore', 'pipe'],
	});
	let said = '';
	child.stderr.on('data', (chunk) => (said += chunk));
	const code = await new Promise((resolve) => child.on('close', resolve));
	assert.equal(code, 0, said);
	return (name) => readFile(join(home, 'made', name));
};

const fromStudio = async (name: string, bytes: Uint8Array): Promise<Uint8Array> => {
	const isArchive = archives.has(name);
	const text = isArchive ? undefined : formatSamples[name];
	const query = isArchive ? `?fileName=${name}&to=de&from=en` : '';
	const response = await fetch(`${server.url}/documents/translate${query}`, {
		method: 'POST',
		headers: { 'content-type': isArchive ? 'application/octet-stream' : 'application/json' },
		body: isArchive
			? new Uint8Array(bytes)
			: JSON.stringify({ fileName: name, text, to: 'de', from: 'en' }),
	});
	assert.equal(response.status, 200, name);
	if (isArchive) return new Uint8Array(await response.arrayBuffer());
	return Buffer.from(((await response.json()) as { text: string }).text);
};

const fromHostedInterface = async (name: string, bytes: Uint8Array): Promise<Uint8Array> => {
	const form = new FormData();
	form.set('document', new Blob([new Uint8Array(bytes)]), name);
	const response = await fetch(
		`${server.url}/translator/document:translate?api-version=2024-05-01&targetLanguage=de&sourceLanguage=en`,
		{ method: 'POST', body: form },
	);
	const made = new Uint8Array(await response.arrayBuffer());
	assert.equal(response.status, 200, `${name} ${Buffer.from(made)}`);
	return made;
};

test('every door gives the same bytes for a file of each format, and other words', async () => {
	const command = await fromCommandLine();
	const editor = connectFront(() => server);
	editor.listen();
	await editor.sendRequest('initialize', { processId: null, rootUri: null, capabilities: {} });
	await editor.sendNotification('initialized', {});
	const fromEditor = async (name: string, bytes: Uint8Array): Promise<Uint8Array> => {
		const languages = { fileName: name, to: 'de', from: 'en' };
		if (archives.has(name)) {
			const content = Buffer.from(bytes).toString('base64');
			const made = await editor.sendRequest<{ content: string }>('nearglot/translateFile', {
				...{ ...languages, content },
			});
			return Buffer.from(made.content, 'base64');
		}
		const { text } = await editor.sendRequest<{ text: string }>('nearglot/translateDocument', {
			...{ ...languages, languageId: 'plaintext', text: formatSamples[name] },
		});
		return Buffer.from(text);
	};
	try {
		const names = [...Object.keys(formatSamples), ...archives.keys()];
		for (const name of names) {
			const bytes = archives.get(name) ?? Buffer.from(formatSamples[name] ?? '');
			const made = await Promise.all([
				command(name),
				fromStudio(name, bytes),
				fromHostedInterface(name, bytes),
				fromEditor(name, bytes),
			]);
			const said = archives.has(name)
				? await Promise.all(made.map(async (one) => [...(await textsOf(one, name))].join('\n')))
				: made.map((one) => Buffer.from(one).toString());
			for (const one of said) assert.equal(one, said[0], name);
			assert.match(said[0] ?? '', /OPEN|SAVE|FIRST|DONE/, name);
			for (const one of made) assert.ok(Buffer.from(one).equals(Buffer.from(made[0] ?? [])), name);
		}
	} finally {
		editor.dispose();
	}
});
