/** Recordings without a window: several in a row, corrections that are kept, a recording that moved. */

import assert from 'node:assert/strict';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Extension } from '../../../extension/app.ts';

const { extensionPath = '' } = vscode.extensions.getExtension('nearglot.nearglot') ?? {};
const shared = join(process.env['NEARGLOT_SHARED'] ?? join(extensionPath, '..', 'shared'), 'data');
const model = join(shared, 'models-tiny', 'whisper-timestamped-tjs');

async function parts(): Promise<Extension> {
	const extension = await vscode.extensions.getExtension('nearglot.nearglot')?.activate();
	assert.ok(extension, 'under test the extension shows its parts');
	return extension as Extension;
}

describe('recordings', () => {
	const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/');
	const uris = ['one.wav', 'two.mp3', 'moved.wav'].map((name) => vscode.Uri.joinPath(folder, name));
	const [one, two, moved] = uris as [vscode.Uri, vscode.Uri, vscode.Uri];

	before(function () {
		if (!existsSync(model)) {
			console.log('skipped: there is no tiny Whisper in the shared data');
			this.skip();
		}
		const home = process.env['NEARGLOT_HOME'] ?? '';
		cpSync(model, join(home, 'models', 'tiny-whisper'), { recursive: true, dereference: true });
		cpSync(join(shared, 'audio', 'jfk.wav'), one.fsPath);
		cpSync(join(shared, 'audio', 'Recording.mp3'), two.fsPath);
	});

	after(() => {
		for (const uri of uris) rmSync(uri.fsPath, { force: true });
	});

	it('transcribes several files in a row', async () => {
		const { recordings } = await parts();
		await vscode.commands.executeCommand('nearglot.transcribe.file', one, [one, two]);
		for (const uri of [one, two]) {
			await recordings.use(uri, async ({ session: { document } }) => {
				assert.ok(document && document.lines.length > 0, uri.path);
				assert.ok(document.lines.every(({ words }) => words.length > 0));
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
			await session.translate('en');
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
