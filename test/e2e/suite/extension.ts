/** What only a real extension host can show: activation, commands, edits, code actions, restarts. */

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Extension } from '../../../extension/extension.ts';
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
	const editor = await vscode.window.showTextDocument(document);
	// The focus moves a moment later, and commands act on the active editor.
	for (let tries = 0; vscode.window.activeTextEditor?.document !== document; tries++) {
		if (tries > 200) throw new Error('the editor did not become active');
		await new Promise((resolve) => setTimeout(resolve, 25));
	}
	return editor;
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
		const { languageServer } = await activated();
		const deltas: ChatDelta[] = [];
		const result = await languageServer.request(
			'nearglot/chat',
			{ messages: [{ role: 'user', content: 'extract a tar.gz file' }], temperature: 0 },
			undefined,
			(delta) => deltas.push(delta as ChatDelta),
		);
		assert.match(deltas.map(({ text }) => text ?? '').join(''), /tar/);
		assert.ok(!('text' in result), 'what was streamed is not said again');
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
		const { languageServer } = await activated();
		await languageServer.start();
		const editor = await show(sentence);
		const range = new vscode.Range(0, 0, 0, sentence.length);
		const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
			'vscode.executeCodeActionProvider',
			editor.document.uri,
			range,
			vscode.CodeActionKind.RefactorRewrite.value,
			10,
		);
		const german = actions.find(({ title }) => title === 'Translate selection to German');
		assert.ok(german?.edit, `resolved among ${actions.map(({ title }) => title).join(', ')}`);
		assert.ok(await vscode.workspace.applyEdit(german.edit));
		assert.notEqual(editor.document.getText(), sentence);
	});

	it("answers through VS Code's own language model interface with the model's true limits", async () => {
		const [model] = await vscode.lm.selectChatModels({ vendor: 'nearglot' });
		assert.ok(model, 'a model is listed');
		assert.match(model.id, /starter-chat/);
		assert.ok(model.maxInputTokens > 100 && model.maxInputTokens < 5000);
		const question = vscode.LanguageModelChatMessage.User('extract a tar.gz file');
		const response = await model.sendRequest([question], {});
		let text = '';
		for await (const piece of response.text) text += piece;
		assert.match(text, /tar/);
		const short = await model.countTokens('one');
		assert.ok((await model.countTokens('one two three four five')) > short);
	});

	it('translates as a tool that any chat can call', async () => {
		const result = await vscode.lm.invokeTool('nearglot_translate', {
			input: { text: sentence, to: 'de' },
			toolInvocationToken: undefined,
		});
		const [part] = result.content;
		assert.ok(part instanceof vscode.LanguageModelTextPart);
		assert.notEqual(part.value, sentence);
		assert.ok(part.value.length > 5);
	});

	it('shows the translation of a comment in a hover, and none where it is not needed', async () => {
		const editor = await show('# The file could not be opened.\nx = 1\n', 'python');
		const at = (line: number) =>
			vscode.commands.executeCommand<vscode.Hover[]>(
				'vscode.executeHoverProvider',
				editor.document.uri,
				new vscode.Position(line, 4),
			);
		const text = (hovers: vscode.Hover[]) =>
			hovers
				.flatMap(({ contents }) => contents)
				.map((content) => (typeof content === 'string' ? content : content.value))
				.join('\n');
		assert.match(text(await at(0)), /English → German · Nearglot/);
		assert.doesNotMatch(text(await at(1)), /Nearglot/);
	});

	it('translates only the words of a comment that is selected with code', async () => {
		const editor = await show(
			'def f():\n    # The file could not be opened.\n    return 1\n',
			'python',
		);
		editor.selection = new vscode.Selection(0, 0, 3, 0);
		await vscode.commands.executeCommand('nearglot.translate.selection');
		const lines = editor.document.getText().split('\n');
		assert.equal(lines[0], 'def f():');
		assert.match(lines[1] ?? '', /^ {4}# \S/);
		assert.notEqual(lines[1], '    # The file could not be opened.');
		assert.equal(lines[2], '    return 1');
	});

	it('translates a Markdown file beside its source and saves nothing', async () => {
		const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
		assert.ok(folder);
		const uri = vscode.Uri.joinPath(folder, 'guide.md');
		const source = '# Open the file\n\n```sh\ntar xf a.tar\n```\n\nThe file could not be opened.\n';
		await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(source));
		await vscode.commands.executeCommand('nearglot.translate.file', uri);
		const made = vscode.workspace.textDocuments.find(
			(document) => document.isUntitled && document.languageId === 'markdown',
		);
		const text = made?.getText() ?? '';
		assert.match(text, /^# \S/);
		assert.match(text, /\n```sh\ntar xf a\.tar\n```\n/);
		assert.doesNotMatch(text, /The file could not be opened/);
		const kept = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
		assert.equal(kept, source);
	});

	it('writes a report of what works', async () => {
		await vscode.commands.executeCommand('nearglot.diagnose');
		const text = vscode.window.activeTextEditor?.document.getText() ?? '';
		assert.match(text, /Chat: \d+ ms\n {2}starter-chat/);
		assert.match(text, /en → de: \S/);
		assert.doesNotMatch(text, /failed/);
	});

	it('keeps keys in the secret storage and out of every setting', async () => {
		const { context } = await activated();
		await context.secrets.store('nearglot.secret.translatorKey', 'a-secret-value');
		assert.equal(await context.secrets.get('nearglot.secret.translatorKey'), 'a-secret-value');
		const all = JSON.stringify(vscode.workspace.getConfiguration('nearglot'));
		assert.doesNotMatch(all, /a-secret-value/);
		await context.secrets.delete('nearglot.secret.translatorKey');
	});

	it('tells an unknown model apart and names the known ones', async () => {
		const { languageServer } = await activated();
		await assert.rejects(
			languageServer.request('nearglot/chat', {
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
		const { languageServer } = await activated();
		const before = await languageServer.request('nearglot/endpoint', {});
		const restarted = new Promise<void>((resolve) => {
			let down = false;
			const listening = languageServer.onHealth(({ server }) => {
				if (server !== 'running') down = true;
				else if (down) {
					listening.dispose();
					resolve();
				}
			});
		});
		process.kill(languageServer.health.status?.pid ?? 0, 'SIGKILL');
		await restarted;
		const after = await languageServer.request('nearglot/endpoint', {});
		assert.equal(after.pid, before.pid);
	});
});
