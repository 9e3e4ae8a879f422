/** VS Code's own places for models, and what of the chat acts on editors. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { snippets } from '../../../extension/actions/copyEndpoint.ts';
import { modelInformation } from '../../../extension/ai/modelProvider.ts';
import { distantRepositories } from '../../../extension/chat/distantRepository.ts';
import { showError } from '../../../extension/notify.ts';
import { AppError, type ModelInfo } from '../../../server/protocol/index.ts';
import { until } from '../../support/until.ts';
import { activated, show } from './shared.ts';

const code =
	'function add(a, b) {\n  return a + b;\n}\n\nfunction sub(a, b) {\n  return a - b;\n}\n';

function folder(): string {
	const path = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
	assert.ok(path);
	return path;
}

async function file(name: string, text: string): Promise<vscode.TextEditor> {
	const path = join(folder(), name);
	writeFileSync(path, text);
	return show(await vscode.workspace.openTextDocument(path));
}

describe('the chat in the editor', () => {
	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	it('shows proposed code as a diff of its file and applies it in one undo step', async () => {
		const { proposals } = await activated();
		const editor = await file('math.js', code);
		await proposals.show('function sub(a, b) {\n  return b - a;\n}', []);
		const tab = () => vscode.window.tabGroups.activeTabGroup.activeTab?.input;
		await until('the diff is shown', () => tab() instanceof vscode.TabInputTextDiff);
		const { original, modified } = tab() as vscode.TabInputTextDiff;
		assert.equal(original.toString(), editor.document.uri.toString());
		const proposed = await vscode.workspace.openTextDocument(modified);
		assert.equal(proposed.getText(), code.replace('a - b', 'b - a'));
		await vscode.commands.executeCommand('nearglot.chat.applyProposal');
		assert.equal(editor.document.getText(), code.replace('a - b', 'b - a'));
		assert.ok(!(tab() instanceof vscode.TabInputTextDiff), 'the diff is closed');
		await until(
			'the file is active',
			() => vscode.window.activeTextEditor?.document === editor.document,
		);
		await vscode.commands.executeCommand('undo');
		assert.equal(editor.document.getText(), code);
		await vscode.commands.executeCommand('workbench.action.files.revert');
	});

	it('refuses to apply to a file that has changed meanwhile', async () => {
		const { proposals } = await activated();
		const editor = await file('math2.js', code);
		await proposals.show('function sub(a, b) {\n  return b - a;\n}', []);
		const edit = new vscode.WorkspaceEdit();
		edit.insert(editor.document.uri, new vscode.Position(0, 0), '// new\n');
		await vscode.workspace.applyEdit(edit);
		await assert.rejects(proposals.apply(undefined), { code: 'conflict' });
		await proposals.discard(undefined);
		await show(editor.document);
		await vscode.commands.executeCommand('workbench.action.files.revert');
	});

	it('sends what an attachment was taken from along with it', async () => {
		const { chat } = await activated();
		const editor = await file('math3.js', code);
		editor.selection = new vscode.Selection(4, 0, 6, 1);
		await vscode.commands.executeCommand('nearglot.chat.attachSelection');
		const [attachment] = chat.session.state.attachments.slice(-1);
		assert.equal(attachment?.label, 'math3.js:5-7');
		assert.equal(attachment?.source?.uri, editor.document.uri.toString());
		assert.deepEqual(attachment?.source?.range?.start, { line: 4, character: 0 });
		while (chat.session.state.attachments.length > 0) chat.session.detach(0);
	});
});

describe("VS Code's own places for models", () => {
	it('counts tokens exactly and ends a request that is cancelled', async () => {
		const { languageServer } = await activated();
		const [model] = await vscode.lm.selectChatModels({ vendor: 'nearglot' });
		assert.ok(model);
		const message = vscode.LanguageModelChatMessage.User('one two three four five six');
		const { tokens } = await languageServer.request('nearglot/countTokens', {
			model: model.id,
			messages: [{ role: 'user', content: 'one two three four five six' }],
		});
		assert.equal(await model.countTokens(message), tokens);
		const source = new vscode.CancellationTokenSource();
		const response = await model.sendRequest([message], {}, source.token);
		source.cancel();
		const read = async () => {
			for await (const _ of response.text);
		};
		await read().catch(() => undefined);
		const again = await model.sendRequest([vscode.LanguageModelChatMessage.User('list files')]);
		let text = '';
		for await (const piece of again.text) text += piece;
		assert.ok(text.length > 0, 'the next request is answered');
	});

	it('splits the context of a model into what may be asked and what may be answered', () => {
		const model = {
			id: 'm:1',
			name: 'm',
			displayName: 'M',
			version: '1',
			license: 'mit',
			origin: 'local',
			publisher: 'p',
			supportsToolCalling: false,
			contextLength: 1000,
		} as ModelInfo;
		const shared = modelInformation(model);
		assert.deepEqual([shared?.maxInputTokens, shared?.maxOutputTokens], [750, 250]);
		const stated = modelInformation({ ...model, maxOutputTokens: 100 });
		assert.deepEqual([stated?.maxInputTokens, stated?.maxOutputTokens], [900, 100]);
		const { contextLength: _unknown, ...without } = model;
		assert.equal(modelInformation(without as ModelInfo), undefined);
	});

	it('shows one notification for one cause, and another when that has gone', async () => {
		const answers: (() => void)[] = [];
		const shown: string[] = [];
		const original = vscode.window.showErrorMessage;
		const stub = (text: string) => {
			shown.push(text);
			return new Promise<undefined>((resolve) => answers.push(() => resolve(undefined)));
		};
		Object.assign(vscode.window, { showErrorMessage: stub });
		try {
			const first = showError(new AppError('internal', 'It broke.'));
			await showError(new AppError('internal', 'It broke.'));
			await showError(new AppError('cancelled'));
			assert.deepEqual(shown, ['Nearglot: It broke.']);
			answers[0]?.();
			await first;
			const again = showError(new AppError('internal', 'It broke.'));
			assert.equal(shown.length, 2);
			answers[1]?.();
			await again;
		} finally {
			Object.assign(vscode.window, { showErrorMessage: original });
		}
	});

	it('transcribes as a tool, and says what is wrong with a file that is no recording', async () => {
		writeFileSync(join(folder(), 'broken.wav'), 'RIFF....WAVE nothing');
		await assert.rejects(
			async () =>
				vscode.lm.invokeTool('nearglot_transcribe', {
					input: { path: 'broken.wav' },
					toolInvocationToken: undefined,
				}),
			/broken\.wav|speech|model|WAV|dialog/i,
		);
	});

	it('offers its tools to agents as an MCP server', async () => {
		const { contributes } = (vscode.extensions.getExtension('nearglot.nearglot') ?? assert.fail())
			.packageJSON as {
			contributes: { mcpServerDefinitionProviders: { id: string }[] };
		};
		assert.deepEqual(
			contributes.mcpServerDefinitionProviders.map(({ id }) => id),
			['nearglot.mcp'],
		);
		const { languageServer } = await activated();
		const { url, key } = await languageServer.request('nearglot/endpoint', {});
		const response = await fetch(`${url}/mcp`, {
			method: 'POST',
			headers: {
				authorization: `Bearer ${key}`,
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
			},
			body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
		});
		assert.equal(response.status, 200);
		assert.match(await response.text(), /translate/);
	});

	it('offers no inline completions until a model was chosen', async () => {
		const editor = await file('typing.js', 'const sum = ');
		editor.selection = new vscode.Selection(0, 12, 0, 12);
		await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
		await new Promise((resolve) => setTimeout(resolve, 300));
		await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
		assert.equal(editor.document.getText(), 'const sum = ');
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	it('completes code inside the line with a model that fills in the middle', async function () {
		const { languageServer } = await activated();
		const root = vscode.extensions.getExtension('nearglot.nearglot')?.extensionPath ?? '';
		const shared = process.env['NEARGLOT_SHARED'] ?? join(root, '..', 'shared');
		const model = join(shared, 'data', 'models-tiny', 'qwen2-tjs');
		// The tiny model is beside the repository, where there is one.
		if (!existsSync(model)) this.skip();
		const { url, key } = await languageServer.request('nearglot/endpoint', {});
		const headers = { authorization: `Bearer ${key}` };
		const status = await fetch(`${url}/openai/status`, { headers });
		const { modelDirPath } = (await status.json()) as { modelDirPath: string };
		cpSync(model, join(modelDirPath, 'qwen2-tjs'), { recursive: true });
		const settings = vscode.workspace.getConfiguration('nearglot');
		await settings.update('inline.model', 'qwen2-tjs', vscode.ConfigurationTarget.Global);
		const editor = await file('filling.js', 'const sum = \n');
		editor.selection = new vscode.Selection(0, 12, 0, 12);
		await until('the completion is taken over', async () => {
			await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
			await new Promise((resolve) => setTimeout(resolve, 500));
			await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
			return editor.document.lineAt(0).text.length > 'const sum = '.length;
		});
		assert.match(editor.document.getText(), /^const sum = \S/);
		await settings.update('inline.model', undefined, vscode.ConfigurationTarget.Global);
		await vscode.commands.executeCommand('workbench.action.files.revert');
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
		// The chat would take it for the best model of this computer.
		await fetch(`${url}/openai/unload/qwen2-tjs?force=true`, { headers });
		rmSync(join(modelDirPath, 'qwen2-tjs'), { recursive: true });
		await until('the model is gone', async () => {
			const { models } = await languageServer.request('nearglot/models', {});
			return !models.some(({ id }) => id.startsWith('qwen2-tjs'));
		});
	});

	it('puts the address and key of the model server into new terminals, when that is wanted', async () => {
		const { context, languageServer } = await activated();
		const settings = vscode.workspace.getConfiguration('nearglot');
		const variables = context.environmentVariableCollection;
		assert.equal(variables.get('OPENAI_BASE_URL'), undefined);
		await settings.update('terminal.environment', true, vscode.ConfigurationTarget.Global);
		await until('the variables are set', () => variables.get('OPENAI_API_KEY') !== undefined);
		const { url, key } = await languageServer.request('nearglot/endpoint', {});
		assert.equal(variables.get('OPENAI_BASE_URL')?.value, `${url}/v1`);
		assert.equal(variables.get('OPENAI_API_KEY')?.value, key);
		assert.equal(variables.persistent, false, 'the key is not kept on disk');
		await settings.update('terminal.environment', undefined, vscode.ConfigurationTarget.Global);
		await until('they are gone', () => variables.get('OPENAI_API_KEY') === undefined);
	});

	it('offers snippets that answer when they are run', async () => {
		const { languageServer } = await activated();
		const endpoint = await languageServer.request('nearglot/endpoint', {});
		const texts = new Map(
			snippets(endpoint, 'starter-chat').map(({ name, text }) => [name, text] as const),
		);
		const curl = execFileSync('sh', ['-c', texts.get('curl') ?? ''], { encoding: 'utf8' });
		assert.ok(JSON.parse(curl).choices[0].message.content.length > 0, curl);
		const script = join(folder(), 'snippet.mjs');
		const root = vscode.extensions.getExtension('nearglot.nearglot')?.extensionPath ?? '';
		const openai = vscode.Uri.file(join(root, 'node_modules/openai/index.mjs')).toString();
		writeFileSync(script, (texts.get('TypeScript') ?? '').replace("'openai'", `'${openai}'`));
		const said = execFileSync(process.execPath, [script], { encoding: 'utf8' });
		assert.ok(said.trim().length > 0);
	});

	it('writes a commit message for what is staged into the box of the git view', async () => {
		const root = join(folder(), 'repository');
		mkdirSync(root, { recursive: true });
		const git = (...words: string[]) => execFileSync('git', words, { cwd: root, stdio: 'pipe' });
		git('init', '-q');
		writeFileSync(join(root, 'a.txt'), 'one\ntwo\n');
		git('add', '.');
		const extension = vscode.extensions.getExtension('vscode.git');
		assert.ok(extension);
		const settings = vscode.workspace.getConfiguration('git');
		await settings.update('enabled', true, vscode.ConfigurationTarget.Global);
		const exported = await extension.activate();
		await until('git is switched on', () => exported.enabled);
		const api = exported.getAPI(1);
		await api.openRepository(vscode.Uri.file(root));
		const repository = () =>
			api.repositories.find(({ rootUri }: { rootUri: vscode.Uri }) => rootUri.fsPath === root);
		await until('the repository is known', () => repository() !== undefined);
		await vscode.commands.executeCommand('nearglot.chat.commitMessage', {
			rootUri: vscode.Uri.file(root),
		});
		assert.ok(repository().inputBox.value.trim().length > 0);
	});

	it('reads the changes of a window whose git runs on another machine as git itself tells them', async () => {
		const root = join(folder(), 'distant');
		mkdirSync(root, { recursive: true });
		const git = (...words: string[]) =>
			execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
				cwd: root,
				stdio: 'pipe',
			});
		const lines = Array.from({ length: 30 }, (_, index) => `line ${index}\n`);
		git('init', '-q');
		writeFileSync(join(root, 'changed.txt'), lines.join(''));
		writeFileSync(join(root, 'removed.txt'), 'one\n');
		writeFileSync(join(root, 'old name.txt'), lines.toReversed().join(''));
		writeFileSync(join(root, 'picture.bin'), new Uint8Array([1, 0, 2]));
		git('add', '.');
		git('commit', '-q', '-m', 'Begin');
		git('rm', '-q', 'removed.txt');
		git('mv', 'old name.txt', 'new name.txt');
		writeFileSync(
			join(root, 'changed.txt'),
			lines.with(20, 'staged, without an end').slice(0, 21).join(''),
		);
		writeFileSync(join(root, 'new.txt'), 'ünï\n');
		writeFileSync(join(root, 'picture.bin'), new Uint8Array([1, 0, 3]));
		git('add', '.');
		writeFileSync(join(root, 'new.txt'), 'not staged\n');
		writeFileSync(join(root, 'untracked.txt'), 'nobody asked\n');
		const extension = vscode.extensions.getExtension('vscode.git');
		assert.ok(extension);
		const api = (await extension.activate()).getAPI(1);
		await api.openRepository(vscode.Uri.file(root));
		const own = () =>
			api.repositories.find(({ rootUri }: { rootUri: vscode.Uri }) => rootUri.fsPath === root);
		await until('the repository is known', () => own()?.state.workingTreeChanges.length === 2);
		const distant = (await distantRepositories()).find(({ rootUri }) => rootUri.fsPath === root);
		assert.ok(distant);
		// Modes, hashes and how much of a renamed file is alike take a git that has the objects at hand.
		const plain = (diff: string) =>
			diff
				.split('\n')
				.filter((line) => !/^(?:index|similarity index) /.test(line))
				.map((line) => line.replace(/^(@@ [^@]+ @@).*/, '$1').trimEnd())
				.join('\n')
				.trim();
		for (const staged of [true, false])
			assert.equal(plain(await distant.diff(staged)), plain(await own().diff(staged)));
		assert.match(await distant.diff(true), /\+ünï/);
	});
});
