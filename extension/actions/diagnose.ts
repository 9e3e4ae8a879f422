/** *Diagnose*: what was found and tried, as text to read and to copy; without keys and contents. */

import * as vscode from 'vscode';
import { fallbackOf } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { readError } from '../languageServerClient.ts';
import { noteLines } from '../models/loadedModels.ts';
import { setting } from '../settings.ts';

/** Opens the report as an unsaved document. */
export async function diagnose(
	languageServer: LanguageServerClient,
	version: string,
): Promise<void> {
	const lines = [
		`Nearglot ${version}`,
		`VS Code ${vscode.version}, ${vscode.env.appHost}, ${process.platform}-${process.arch}, Node ${process.versions.node}`,
		`Workspace trusted: ${vscode.workspace.isTrusted}; remote: ${vscode.env.remoteName ?? 'none'}`,
		`Server: ${languageServer.health.server}${languageServer.health.message ? ` (${languageServer.health.message})` : ''}`,
	];
	const attempt = async (what: string, run: () => Promise<string[]>) => {
		const started = performance.now();
		try {
			const found = await run();
			lines.push(
				`${what}: ${(performance.now() - started).toFixed(0)} ms`,
				...found.map((line) => `  ${line}`),
			);
		} catch (error) {
			const { code, message } = readError(error);
			lines.push(`${what}: failed (${code}): ${message}`);
		}
	};
	await attempt('Daemon', async () => {
		const { url, pid, version: running } = await languageServer.request('nearglot/endpoint', {});
		return [`${url}, process ${pid}, version ${running}`];
	});
	await attempt('Models', async () => {
		const { models } = await languageServer.request('nearglot/models', {});
		return models
			.filter(({ state }) => state !== 'not-downloaded')
			.map(
				({ id, task, state, folder }) =>
					`${id} · ${task} · ${state}${folder ? ` · ${folder}` : ''}`,
			);
	});
	await attempt('This computer', async () => {
		const task = 'chat-completion';
		const { machine, models } = await languageServer.request('nearglot/models/suggest', { task });
		const { memoryBytes, diskFreeBytes, gpus, bytesPerSecond } = machine;
		const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
		return [
			`memory ${gigabytes(memoryBytes)}, copied at ${gigabytes(bytesPerSecond)}/s`,
			`free where models are kept: ${diskFreeBytes === undefined ? 'unknown' : gigabytes(diskFreeBytes)}`,
			`graphics processors: ${gpus.join(', ') || 'none found'}`,
			`largest chat model that fits: ${models[0]?.model.displayName ?? 'none'}`,
		];
	});
	const completing = setting('inline.model');
	if (completing !== '') {
		await attempt('Code completion', async () => {
			const { text } = await languageServer.request('nearglot/complete', {
				model: completing,
				prefix: 'function add(a, b) {\n\treturn ',
				suffix: ';\n}\n',
				maxTokens: 8,
			});
			return [`${completing}: ${JSON.stringify(text)}`];
		});
	}
	await attempt('Chat', async () => {
		const { model, timings, finishReason } = await languageServer.request('nearglot/chat', {
			messages: [{ role: 'user', content: 'list files' }],
			maxTokens: 8,
		});
		const speed = timings ? `${timings.predicted_per_second.toFixed(1)} tokens/s` : 'no timings';
		return [`${model}: ${speed}, ended by ${finishReason}`];
	});
	await attempt('Translation', async () => {
		const { items } = await languageServer.request('nearglot/translate', {
			texts: ['The file was saved.'],
			to: 'de',
		});
		return [`en → de: ${items[0]?.text ?? ''}`];
	});
	await attempt('Engine', async () => {
		const { models } = await languageServer.request('nearglot/models', {});
		const fault = fallbackOf(models);
		const remarks = [...(fault ? [`WARNING: ${fault.message}`] : []), ...noteLines(models)];
		return remarks.length === 0 ? ['runs as it should'] : remarks;
	});
	const document = await vscode.workspace.openTextDocument({
		content: `${lines.join('\n')}\n`,
		language: 'plaintext',
	});
	await vscode.window.showTextDocument(document);
}
