/** Recordings without a window: several in a row, corrections that are kept, a recording that moved. */

import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Extension } from '../../../extension/extension.ts';
import { until } from '../../support/until.ts';

const { extensionPath = '' } = vscode.extensions.getExtension('nearglot.nearglot') ?? {};
const speech = join(extensionPath, 'test', 'fixtures', 'speech');

async function parts(): Promise<Extension> {
	const extension = await vscode.extensions.getExtension('nearglot.nearglot')?.activate();
	assert.ok(extension, 'under test the extension shows its parts');
	return extension as Extension;
}

describe('recordings', () => {
	const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/');
	const uris = ['one.flac', 'two.flac', 'moved.flac'].map((name) =>
		vscode.Uri.joinPath(folder, name),
	);
	const [one, two, moved] = uris as [vscode.Uri, vscode.Uri, vscode.Uri];

	before(() => {
		cpSync(join(speech, 'annie.flac'), one.fsPath);
		cpSync(join(speech, 'f2.flac'), two.fsPath);
	});

	after(() => {
		for (const uri of uris) rmSync(uri.fsPath, { force: true });
	});

	it('transcribes several files in the background', async () => {
		const { recordings } = await parts();
		await vscode.commands.executeCommand('nearglot.transcribe.file', one, [one, two]);
		for (const [uri, words] of [
			[one, /open the new window/i],
			[two, /read it again/i],
		] as const) {
			await recordings.use(uri, async ({ session }) => {
				await until(`${uri.path} has its transcript`, () => session.document !== null);
				const { document } = session;
				assert.ok(document && document.lines.length > 0, uri.path);
				assert.match(document.lines.map(({ text }) => text).join(' '), words);
				assert.ok(document.lines.every((line) => line.words.length > 0));
			});
		}
	});

	it('keeps corrections with the recording, also when it is moved', async () => {
		const { recordings } = await parts();
		const text = await recordings.use(one, async ({ session }) => {
			const [line] = session.document?.lines ?? [];
			assert.ok(line);
			await session.edit(line.id, `${line.text} corrected`);
			await session.saved;
			return `${line.text} corrected`;
		});
		await vscode.workspace.fs.rename(one, moved);
		await recordings.use(moved, async ({ session }) => {
			assert.equal(session.document?.lines[0]?.text, text);
			await session.translate('de');
			assert.ok(session.document?.translation?.lines[session.document.lines[0]?.id ?? -1]);
		});
	});

	it('says what is wrong with a file that is no recording', async () => {
		const { recordings } = await parts();
		const notes = vscode.Uri.joinPath(folder, 'notes.txt');
		await recordings.use(notes, async (recording) => {
			await assert.rejects(recording.transcribe(), { code: 'invalid_audio' });
			assert.match(recording.session.state.problem ?? '', /\w/);
		});
	});
});
