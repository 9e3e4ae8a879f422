/** Chats that were: kept, found by their words, deleted for good; and what a page of a chat may do. */

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { pageHtml, pageOptions } from '../../../extension/chat/pageHtml.ts';
import { until } from '../../support/until.ts';
import { activated } from './shared.ts';

describe('the history of chats', () => {
	it('keeps a chat with its answer, newest first, and finds it by a word of the answer', async () => {
		const { chat, store } = await activated();
		chat.newChat();
		await chat.session.send('extract a tar.gz file');
		const { id } = chat.session.conversation;
		const [newest] = await store.list();
		assert.equal(newest?.id, id);
		assert.match(newest?.text ?? '', /tar xf/);
		chat.newChat();
		assert.notEqual(chat.session.conversation.id, id);
		await chat.openChat(id);
		assert.match(chat.session.conversation.turns.at(-1)?.text ?? '', /tar xf/);
		await store.remove(id);
		await assert.rejects(chat.openChat(id), { code: 'not_found' });
		chat.newChat();
	});

	it('deletes a chat for good, also one whose answer is being written', async () => {
		const { chat, store } = await activated();
		chat.newChat();
		const asking = chat.session.send('list files');
		const { id } = chat.session.conversation;
		await until('the question is saved', async () => (await store.load(id)) !== undefined);
		await store.remove(id);
		chat.newChat();
		await asking;
		// What is saved after it has been written when this is.
		await store.save({ ...chat.session.conversation, id: 'after' });
		assert.equal(await store.load(id), undefined);
		assert.ok(!(await store.list()).some((found) => found.id === id));
		await store.remove('after');
	});

	it('asks again beside the old answer, not below it', async () => {
		const { chat, store } = await activated();
		chat.newChat();
		await chat.session.send('list files');
		const { turns } = chat.session.conversation;
		const answer = turns.at(-1);
		assert.equal(answer?.role, 'assistant');
		await chat.session.regenerate(answer?.id ?? '');
		const now = chat.session.conversation;
		assert.equal(now.turns.length, 3);
		assert.deepEqual(
			now.turns.slice(1).map(({ role, parent }) => [role, parent]),
			[answer, answer].map((turn) => ['assistant', turn?.parent]),
		);
		await store.remove(now.id);
		chat.newChat();
	});

	it('answers no longer than the settings say', async () => {
		const { chat, store } = await activated();
		const settings = vscode.workspace.getConfiguration('nearglot.chat');
		const answer = async () => {
			chat.newChat();
			await chat.session.send('extract a tar.gz file');
			const { id, turns } = chat.session.conversation;
			await store.remove(id);
			return turns.at(-1)?.text ?? '';
		};
		const whole = await answer();
		await settings.update('maxTokens', 2, vscode.ConfigurationTarget.Global);
		try {
			const short = await answer();
			assert.ok(short.length < whole.length && whole.startsWith(short.trimEnd()), short);
		} finally {
			await settings.update('maxTokens', undefined, vscode.ConfigurationTarget.Global);
		}
		chat.newChat();
	});
});

describe('the pages of the extension', () => {
	it('run their own script alone and reach no network', () => {
		const panel = vscode.window.createWebviewPanel('test', 'Test', vscode.ViewColumn.One);
		const folder = vscode.Uri.file('/extension');
		try {
			const { cspSource } = panel.webview;
			const html = pageHtml(panel.webview, folder, 'chat');
			const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
			const rules = new Map(
				policy.split('; ').map((rule) => {
					const [name = '', ...sources] = rule.split(' ');
					return [name, sources.join(' ')];
				}),
			);
			const script = rules.get('script-src') ?? '';
			const [, nonce = ''] = /^'nonce-([\w+/=]{20,})' /.exec(script) ?? [];
			assert.deepEqual(Object.fromEntries(rules), {
				'default-src': "'none'",
				'script-src': `'nonce-${nonce}' ${cspSource}`,
				'style-src': cspSource,
				'font-src': cspSource,
				'img-src': `${cspSource} data:`,
				'connect-src': "'none'",
			});
			assert.ok(!pageHtml(panel.webview, folder, 'chat').includes(nonce), 'a nonce is used once');
			assert.match(
				pageHtml(panel.webview, folder, 'chat', { media: true }),
				/media-src [^;]*blob:/,
			);
			const options = pageOptions(folder);
			assert.equal(options.enableCommandUris, false);
			assert.deepEqual(
				options.localResourceRoots?.map(({ path }) => path),
				['/extension/dist/webview'],
			);
		} finally {
			panel.dispose();
		}
	});
});
