/** Text that arrives piece by piece in a document, beside what a person does there meanwhile. */

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { InsertionPoint } from '../../../extension/transcripts/insertionPoint.ts';

let count = 0;
const made: vscode.Uri[] = [];

/** A file of its own each time: VS Code gives names of untitled documents again. */
async function show(content: string): Promise<vscode.TextEditor> {
	const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/');
	const uri = vscode.Uri.joinPath(folder, `insertion-${++count}.txt`);
	await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(content));
	made.push(uri);
	const document = await vscode.workspace.openTextDocument(uri);
	const editor = await vscode.window.showTextDocument(document);
	// The focus moves a moment later, and undo acts on the active editor.
	for (let tries = 0; vscode.window.activeTextEditor?.document !== document; tries++) {
		if (tries > 400) throw new Error('the editor did not become active');
		await new Promise((resolve) => setTimeout(resolve, 25));
	}
	return editor;
}

describe('inserting what is heard', () => {
	afterEach(async () => {
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
	});

	after(async () => {
		for (const uri of made) await vscode.workspace.fs.delete(uri);
	});

	it('writes pieces at the cursor and takes them back with one undo', async () => {
		const editor = await show('Say: .');
		editor.selection = new vscode.Selection(0, 4, 0, 4);
		const point = new InsertionPoint(editor);
		await point.add('Good');
		await point.add(' morning');
		await point.end();
		assert.equal(editor.document.getText(), 'Say: Good morning .');
		await vscode.commands.executeCommand('undo');
		assert.equal(editor.document.getText(), 'Say: .');
	});

	it('replaces the selection and goes on where it was when text is typed above', async () => {
		const editor = await show('one\nTWO three');
		editor.selection = new vscode.Selection(1, 0, 1, 3);
		const point = new InsertionPoint(editor);
		await point.add('zwei');
		await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'zero\n'));
		await point.add(' und');
		await point.end();
		assert.equal(editor.document.getText(), 'zero\none\nzwei und three');
	});

	it('leaves nothing behind when it is taken back', async () => {
		const editor = await show('a b');
		editor.selection = new vscode.Selection(0, 1, 0, 1);
		const point = new InsertionPoint(editor);
		await point.add('x');
		await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '> '));
		await point.takeBack();
		assert.equal(editor.document.getText(), '> a b');
	});

	it('waits for its document to be in front, and writes the rest at the end', async () => {
		const editor = await show('first ');
		editor.selection = new vscode.Selection(0, 6, 0, 6);
		const point = new InsertionPoint(editor);
		await point.add('one');
		const other = await show('other');
		await point.add(' two');
		assert.equal(editor.document.getText(), 'first one');
		await point.end();
		assert.equal(editor.document.getText(), 'first one two');
		assert.equal(other.document.getText(), 'other');
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
	});
});
