/** What only a real extension host can show: activation, commands, edits, code actions, restarts. */

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Extension } from '../../../extension/app.ts';
import type { ChatDelta } from '../../../server/protocol/index.ts';

const sentence = 'The file could not be opened.';

async function activated(): Promise<Extension> {
	const found = vscode.extensions.getExtension('nearglot.nearglot');
	assert.ok(found, 'the extension is installed');
	const extension = (await found.activate()) as Extension | undefined;
	assert.ok(extension, 'under test the extension shows its parts');
	return extension;
}

async function show(content: string, language = 'plaintext'): Promise<vscode.TextEditor> {
	const document = await vscode.workspace.openTextDocument({ content, language });
	return vscode.window.showTextDocument(document);
}

const settings = () => vscode.workspace.getConfiguration('nearglot');

describe('the extension', () => {
	before(async () => {
		await settings().update('translate.targetLanguage', 'de', vscode.ConfigurationTarget.Global);
		await activated();
	});

	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
	});

	it('registers every command of its manifest', async () => {
		const { packageJSON } = vscode.extensions.getExtension('nearglot.nearglot') ?? {};
		const known = await vscode.commands.getCommands(true);
		for (const { command } of packageJSON.contributes.commands as { command: string }[]) {
			assert.ok(known.includes(command), command);
		}
	});

	it('streams an answer of the built-in model', async () => {
		const { front } = await activated();
		const deltas: ChatDelta[] = [];
		const result = await front.request(
			'nearglot/chat',
			{ messages: [{ role: 'user', content: 'extract a tar.gz file' }], temperature: 0 },
			undefined,
			(delta) => deltas.push(delta as ChatDelta),
		);
		assert.match(result.text, /tar/);
		assert.equal(deltas.map(({ text }) => text ?? '').join(''), result.text);
	});

	it('translates several selections in one undo step', async () => {
		const text = `${sentence}\n\n  ${sentence}\n`;
		const editor = await show(text);
		editor.selections = [
			new vscode.Selection(0, 0, 0, sentence.length),
			new vscode.Selection(2, 0, 2, sentence.length + 2),
		];
		await vscode.commands.executeCommand('nearglot.translate.selection');
		const [first = '', , third = ''] = editor.document.getText().split('\n');
		assert.notEqual(first, sentence);
		assert.ok(first.length > 3);
		assert.equal(third, `  ${first}`);
		await vscode.commands.executeCommand('undo');
		assert.equal(editor.document.getText(), text);
	});

	it('inserts a translation below the selection', async () => {
		const editor = await show(`  ${sentence}\nnext`);
		editor.selection = new vscode.Selection(0, 2, 0, sentence.length + 2);
		await vscode.commands.executeCommand('nearglot.translate.below');
		const lines = editor.document.getText().split('\n');
		assert.equal(lines.length, 3, JSON.stringify(lines));
		assert.equal(lines[0], `  ${sentence}`);
		assert.match(lines[1] ?? '', /^ {2}\S/);
		assert.equal(lines[2], 'next');
	});

	it('offers a code action per language that replaces the selection', async () => {
		const { front } = await activated();
		await front.start();
		const editor = await show(sentence);
		const range = new vscode.Range(0, 0, 0, sentence.length);
		const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
			'vscode.executeCodeActionProvider',
			editor.document.uri,
			range,
			vscode.CodeActionKind.RefactorRewrite.value,
			10,
		);
		const german = actions.find(({ title }) => title === 'Translate to German');
		assert.ok(german?.edit, `resolved among ${actions.map(({ title }) => title).join(', ')}`);
		assert.ok(await vscode.workspace.applyEdit(german.edit));
		assert.notEqual(editor.document.getText(), sentence);
	});

	it('tells an unknown model apart and names the known ones', async () => {
		const { front } = await activated();
		await assert.rejects(
			front.request('nearglot/chat', {
				model: 'no-such-model',
				messages: [{ role: 'user', content: 'hi' }],
			}),
			(error: Error & { code: string }) => {
				assert.equal(error.code, 'model_not_found');
				assert.match(error.message, /starter-chat/);
				return true;
			},
		);
	});

	it('goes on after its server was killed, on the same daemon', async () => {
		const { front } = await activated();
		const before = await front.request('nearglot/endpoint', {});
		const restarted = new Promise<void>((resolve) => {
			let down = false;
			const listening = front.onHealth(({ server }) => {
				if (server !== 'running') down = true;
				else if (down) {
					listening.dispose();
					resolve();
				}
			});
		});
		process.kill(front.health.status?.pid ?? 0, 'SIGKILL');
		await restarted;
		const after = await front.request('nearglot/endpoint', {});
		assert.equal(after.pid, before.pid);
	});
});
