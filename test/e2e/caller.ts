/** An extension of somebody else, which asks VS Code for a model and for a tool. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = {
	name: 'caller',
	displayName: 'Caller',
	description: 'Asks for a model.',
	publisher: 'somebody',
	version: '0.0.1',
	license: 'MIT',
	engines: { vscode: '^1.104.0' },
	main: './main.js',
	contributes: { commands: [{ command: 'caller.ask', title: 'Ask a Model', category: 'Caller' }] },
};

/** Writes what came back into a file of the workspace, a line each: nothing unsaved stays behind. */
const main = `
const vscode = require('vscode');
exports.activate = (context) => {
	context.subscriptions.push(vscode.commands.registerCommand('caller.ask', async () => {
		const lines = [];
		const step = async (name, work) => {
			try { lines.push(name + ': ' + await work()); } catch (error) { lines.push(name + ' failed: ' + error.message); }
		};
		const [model] = await vscode.lm.selectChatModels({ vendor: 'nearglot' });
		lines.push('model: ' + (model && model.id));
		const message = vscode.LanguageModelChatMessage.User('extract a tar.gz file');
		await step('answer', async () => {
			const response = await model.sendRequest([message], { justification: 'A test.' });
			let text = '';
			for await (const piece of response.text) text += piece;
			return JSON.stringify(text);
		});
		await step('tokens', () => model.countTokens(message));
		await step('translation', async () => {
			const result = await vscode.lm.invokeTool('nearglot_translate', {
				input: { text: 'The file could not be opened.', to: 'de' },
				toolInvocationToken: undefined,
			});
			return result.content.map((part) => part.value).join('');
		});
		lines.push('done.');
		const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'caller.txt');
		await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(lines.join('\\n')));
		const document = await vscode.workspace.openTextDocument(uri);
		await vscode.window.showTextDocument(document);
	}));
};
`;

/** Packs it below a folder; returns the path of the VSIX. */
export function packCaller(dir: string): string {
	const folder = join(dir, 'caller');
	const file = join(dir, 'caller.vsix');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
	writeFileSync(join(folder, 'main.js'), main);
	writeFileSync(
		join(folder, 'README.md'),
		'# Caller\n\nAsks VS Code for a model and for a tool.\n',
	);
	const vsce = join(import.meta.dirname, '..', '..', 'node_modules', '@vscode', 'vsce', 'vsce');
	const args = [
		vsce,
		'package',
		'--no-dependencies',
		'--allow-missing-repository',
		'--skip-license',
	];
	const packed = spawnSync(process.execPath, [...args, '--out', file], {
		cwd: folder,
		encoding: 'utf8',
	});
	if (packed.status !== 0) throw new Error(`vsce: ${packed.stderr || packed.stdout}`);
	return file;
}
