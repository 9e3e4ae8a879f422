/** Translation in the editor where only a real extension host can tell: grammars, settings, schemes. */

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Extension } from '../../../extension/extension.ts';
import { until } from '../../support/until.ts';

async function activated(): Promise<Extension> {
	const found = vscode.extensions.getExtension('nearglot.nearglot');
	return (await found?.activate()) as Extension;
}

async function hoverText(document: vscode.TextDocument, line: number, character: number) {
	const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
		'vscode.executeHoverProvider',
		document.uri,
		new vscode.Position(line, character),
	);
	return hovers
		.flatMap(({ contents }) => contents)
		.map((content) => (typeof content === 'string' ? content : content.value))
		.join('\n');
}

async function show(document: vscode.TextDocument): Promise<vscode.TextEditor> {
	const editor = await vscode.window.showTextDocument(document);
	for (let tries = 0; vscode.window.activeTextEditor?.document !== document; tries++) {
		if (tries > 200) throw new Error('the editor did not become active');
		await new Promise((resolve) => setTimeout(resolve, 25));
	}
	return editor;
}

/** Files in memory, as virtual workspaces have them. */
class MemoryFiles implements vscode.FileSystemProvider {
	readonly #files = new Map<string, Uint8Array>();
	readonly #changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
	readonly onDidChangeFile = this.#changes.event;

	watch(): vscode.Disposable {
		return new vscode.Disposable(() => undefined);
	}

	stat(uri: vscode.Uri): vscode.FileStat {
		const found = this.#files.get(uri.path);
		const type = found ? vscode.FileType.File : vscode.FileType.Directory;
		return { type, ctime: 0, mtime: 0, size: found?.length ?? 0 };
	}

	readDirectory(): [string, vscode.FileType][] {
		return [];
	}

	createDirectory(): void {}

	readFile(uri: vscode.Uri): Uint8Array {
		const found = this.#files.get(uri.path);
		if (!found) throw vscode.FileSystemError.FileNotFound(uri);
		return found;
	}

	writeFile(uri: vscode.Uri, content: Uint8Array): void {
		this.#files.set(uri.path, content);
	}

	delete(uri: vscode.Uri): void {
		this.#files.delete(uri.path);
	}

	rename(): void {}
}

describe('translation in the editor', () => {
	it("finds comments by the grammars of VS Code's own extensions", async () => {
		await activated();
		const content = 'local a = "not -- a remark" -- The file could not be opened.\n';
		const document = await vscode.workspace.openTextDocument({ content, language: 'lua' });
		await show(document);
		assert.match(await hoverText(document, 0, 40), /English → German · Nearglot/);
		assert.doesNotMatch(await hoverText(document, 0, 4), /Nearglot/);
	});

	it('takes the target language of the language of a file', async () => {
		await activated();
		const content = '# The file could not be opened.\n';
		const ruby = await vscode.workspace.openTextDocument({ content, language: 'ruby' });
		const python = await vscode.workspace.openTextDocument({ content, language: 'python' });
		const settings = vscode.workspace.getConfiguration('nearglot', ruby);
		const target = vscode.ConfigurationTarget.Global;
		await settings.update('translate.targetLanguage', 'fr', target, true);
		try {
			await show(ruby);
			for (let tries = 0; tries < 40; tries++)
				if (/French/.test(await hoverText(ruby, 0, 6))) break;
			assert.match(await hoverText(ruby, 0, 6), /English → French · Nearglot/);
			assert.match(await hoverText(python, 0, 6), /English → German · Nearglot/);
		} finally {
			await settings.update('translate.targetLanguage', undefined, target, true);
		}
	});

	it('works on files of a virtual file system', async () => {
		await activated();
		const files = vscode.workspace.registerFileSystemProvider('nearglot-memory', new MemoryFiles());
		try {
			const uri = vscode.Uri.parse('nearglot-memory:/notes.txt');
			const content = 'The file could not be opened.\n';
			await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
			const document = await vscode.workspace.openTextDocument(uri);
			const editor = await show(document);
			editor.selection = new vscode.Selection(0, 0, 0, content.length - 1);
			await vscode.commands.executeCommand('nearglot.translate.selection');
			assert.notEqual(document.getText(), content);
			assert.ok(document.isDirty, 'nothing is saved');
			await vscode.commands.executeCommand('undo');
			assert.equal(document.getText(), content);
			await vscode.commands.executeCommand('workbench.action.files.revert');
		} finally {
			files.dispose();
		}
	});

	it('shows on a key what each language says, in code and in message files, and offers what is missing', async () => {
		await activated();
		const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/');
		const at = (path: string) => vscode.Uri.joinPath(folder, path);
		const messages = { files: { open: 'Open the file', close: 'Close the file' } };
		const write = (path: string, value: unknown) =>
			vscode.workspace.fs.writeFile(
				at(path),
				new TextEncoder().encode(JSON.stringify(value, null, 2)),
			);
		await write('keys/locales/en.json', messages);
		await write('keys/locales/de.json', { files: { open: 'Datei öffnen' } });
		try {
			const content = "label(t('files.open'));\nlabel(t('files.close'));\nconst other = 'files';\n";
			await vscode.workspace.fs.writeFile(at('keys/a.js'), new TextEncoder().encode(content));
			const file = await vscode.workspace.openTextDocument(at('keys/a.js'));
			await show(file);
			let shown = '';
			await until('the key is known', async () => {
				shown = await hoverText(file, 0, 12);
				return shown.includes('Datei');
			});
			assert.match(shown, /\[en\]\(file:\S+en\.json#L3\) \| Open the file/);
			assert.match(shown, /\[de\]\(file:\S+de\.json#L3\) \| Datei öffnen/);
			assert.doesNotMatch(shown, /missingMessages/);
			assert.match(
				await hoverText(file, 1, 12),
				/\*missing\*[\s\S]*command:nearglot.translate.missing/,
			);
			assert.doesNotMatch(await hoverText(file, 2, 18), /Datei/);
			const german = await vscode.workspace.openTextDocument(at('keys/locales/de.json'));
			assert.match(await hoverText(german, 2, 8), /Open the file/);
			const lensesOf = async (document: vscode.TextDocument) => {
				const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
					'vscode.executeCodeLensProvider',
					document.uri,
				);
				return lenses
					.filter(({ command }) => command?.command === 'nearglot.messages.edit')
					.map(({ range, command }) => [range.start.line, command?.title]);
			};
			const missing = '$(warning) Missing in de';
			assert.deepEqual(await lensesOf(file), [[1, missing]]);
			const english = await vscode.workspace.openTextDocument(at('keys/locales/en.json'));
			assert.deepEqual(await lensesOf(english), [[3, missing]]);
			assert.deepEqual(await lensesOf(german), []);
			const settings = vscode.workspace.getConfiguration('nearglot');
			const target = vscode.ConfigurationTarget.Global;
			await settings.update('messages.codeLens', 'all', target);
			try {
				assert.deepEqual(await lensesOf(file), [
					[0, 'de Datei öffnen'],
					[1, 'de –'],
				]);
			} finally {
				await settings.update('messages.codeLens', undefined, target);
			}
		} finally {
			await vscode.commands.executeCommand('workbench.action.closeAllEditors');
			await vscode.workspace.fs.delete(at('keys'), { recursive: true });
		}
	});

	it('hands a new name to the rename of the editor', async () => {
		const { languageServer } = await activated();
		const content =
			'// Dieses Programm liest den Namen der Datei und zeigt ihn an.\nconst dateiName = 1;\nuse(dateiName);\n';
		const document = await vscode.workspace.openTextDocument({ content, language: 'javascript' });
		await show(document);
		const found = await languageServer.request('nearglot/nameSymbol', {
			uri: document.uri.toString(),
			languageId: document.languageId,
			position: { line: 1, character: 8 },
		});
		assert.equal(found.name, 'dateiName');
		assert.equal(found.from, 'de');
		assert.equal(found.occurrences.length, 2);
		assert.match(found.suggestion, /^[a-z]+[A-Z]\w*$/);
		const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
			'vscode.executeCodeActionProvider',
			document.uri,
			new vscode.Range(1, 8, 1, 8),
			vscode.CodeActionKind.RefactorRewrite.value,
			10,
		);
		const name = actions.find(({ title }) => title === 'Name this symbol in English');
		assert.equal(name?.command?.command, 'nearglot.translate.nameSymbol');
	});
});
