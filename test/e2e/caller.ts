/** An extension of somebody else, which asks VS Code for a model and for tools. */

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
	contributes: {
		commands: [
			{ command: 'caller.ask', title: 'Ask a Model', category: 'Caller' },
			{ command: 'caller.transcribe', title: 'Transcribe', category: 'Caller' },
			{ command: 'caller.tools', title: 'List Tools', category: 'Caller' },
		],
	},
};

/**
 * Writes what came back into a file of the workspace, a line each: nothing unsaved stays behind. The
 * file is named like the command.
 */
const main = `
const vscode = require('vscode');
const commands = {
	ask: async (say) => {
		const [model] = await vscode.lm.selectChatModels({ vendor: 'nearglot' });
		await say('model', () => model && model.id);
		const message = vscode.LanguageModelChatMessage.User('extract a tar.gz file');
		await say('answer', async () => {
			const response = await model.sendRequest([message], { justification: 'A test.' });
			let text = '';
			for await (const piece of response.text) text += piece;
			return JSON.stringify(text);
		});
		await say('tokens', () => model.countTokens(message));
		await say('translation', () =>
			call('nearglot_translate', { text: 'The file could not be opened.', to: 'de' }));
	},
	transcribe: async (say) => {
		await say('subtitles', () => call('nearglot_transcribe', { path: 'caller.flac', format: 'srt' }));
		await say('missing', () => call('nearglot_transcribe', { path: 'nothing-here.wav' }));
	},
	tools: async (say) => {
		await say('tools', () => vscode.lm.tools.map(({ name }) => name).sort().join(' '));
	},
};
async function call(name, input) {
	const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
	return JSON.stringify(result.content.map((part) => part.value).join(''));
}
exports.activate = (context) => {
	for (const [name, run] of Object.entries(commands)) {
		context.subscriptions.push(vscode.commands.registerCommand('caller.' + name, async () => {
			const lines = [];
			await run(async (what, work) => {
				try { lines.push(what + ': ' + await work()); } catch (error) { lines.push(what + ' failed: ' + error.message); }
			});
			lines.push(name + ' is done.');
			const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name + '.caller.txt');
			await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(lines.join('\\n')));
			await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
		}));
	}
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
