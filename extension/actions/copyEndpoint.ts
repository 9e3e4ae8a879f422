/** *Copy API Endpoint*: the daemon's address with its key, as other tools want it. */

import * as vscode from 'vscode';
import { type EndpointInfo, findModel, readyChatModels } from '../../server/protocol/index.ts';
import type { LanguageServerClient } from '../languageServerClient.ts';
import { setting } from '../settings.ts';

/** Lets the user choose a form and puts it on the clipboard. */
export async function copyEndpoint(languageServer: LanguageServerClient): Promise<void> {
	const endpoint = await languageServer.request('nearglot/endpoint', {});
	const { models } = await languageServer.request('nearglot/models', {});
	const local = readyChatModels(models).filter(({ origin }) => origin !== 'team');
	const model = findModel(local, setting('chat.model')) ?? local[0];
	const items = snippets(endpoint, model?.id ?? 'starter-chat').map(({ name, text }) => ({
		label: name,
		// Shown without the key: others may look at the screen.
		detail: (text.split('\n')[0] ?? '').replace(endpoint.key, '…'),
		text,
	}));
	const chosen = await vscode.window.showQuickPick(items, {
		title: vscode.l10n.t('Copy API Endpoint'),
		placeHolder: vscode.l10n.t('The key in it opens the model server on this computer.'),
	});
	if (!chosen) return;
	await vscode.env.clipboard.writeText(chosen.text);
	vscode.window.setStatusBarMessage(vscode.l10n.t('Copied'), 2000);
}

/** The forms offered. Ports differ from start to start: the address holds while the daemon runs. */
export function snippets(
	{ url, key }: Pick<EndpointInfo, 'url' | 'key'>,
	model: string,
): { name: string; text: string }[] {
	const base = `${url}/v1`;
	const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
	return [
		{ name: 'URL', text: base },
		{
			name: 'OPENAI_BASE_URL, OPENAI_API_KEY',
			text: `export OPENAI_BASE_URL=${base}\nexport OPENAI_API_KEY=${key}`,
		},
		{
			name: 'curl',
			text: `curl ${base}/chat/completions -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${body}'`,
		},
		{
			name: 'Python',
			text: `from openai import OpenAI

client = OpenAI(base_url="${base}", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
		},
		{
			name: 'TypeScript',
			text: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}', apiKey: '${key}' });
const answer = await client.chat.completions.create({
	model: '${model}',
	messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
		},
	];
}
