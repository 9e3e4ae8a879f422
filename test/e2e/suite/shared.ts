/** What the files of the suite share. */

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Extension } from '../../../extension/extension.ts';
import { until } from '../../support/until.ts';

/** The parts of the extension, which it shows under test. */
export async function activated(): Promise<Extension> {
	const found = vscode.extensions.getExtension('nearglot.nearglot');
	assert.ok(found, 'the extension is installed');
	const extension = (await found.activate()) as Extension | undefined;
	assert.ok(extension, 'under test the extension shows its parts');
	return extension;
}

/** Opens a text and waits until its editor is the active one. */
export async function show(document: vscode.TextDocument): Promise<vscode.TextEditor> {
	const editor = await vscode.window.showTextDocument(document);
	// The focus moves a moment later, and commands act on the active editor.
	await until('the editor is active', () => vscode.window.activeTextEditor?.document === document);
	return editor;
}
