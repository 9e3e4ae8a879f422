/** What the extension keeps of chats and recordings is the user's alone. */

import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ChatStore } from '../../extension/chat/chatStore.ts';
import { TranscriptStore } from '../../extension/transcripts/transcriptStore.ts';
import type { Conversation } from '../../server/protocol/index.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const skip = process.platform === 'win32' && 'Windows has other rights';
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test('chats and transcripts can be read by the user alone, also in folders of earlier versions', {
	skip,
}, async () => {
	const home = temporaryFolder('kept');
	const folder = join(home, 'chats');
	await mkdir(folder);
	await chmod(folder, 0o755);
	const chat = new ChatStore(folder, join(home, 'workspace'));
	await chat.save({
		id: 'a',
		title: 't',
		createdAt: '2026-01-01T00:00:00Z',
		updatedAt: '2026-01-01T00:00:00Z',
		turns: [],
	} as unknown as Conversation);
	await chat.remember('a');
	const transcripts = new TranscriptStore(join(home, 'transcripts'));
	await transcripts.saveWaveform('f', { peaks: [] } as never);
	const written = (await readdir(home, { recursive: true, withFileTypes: true })).map((entry) => ({
		path: join(entry.parentPath, entry.name),
		isFile: entry.isFile(),
	}));
	assert.ok(written.filter(({ isFile }) => isFile).length >= 3, JSON.stringify(written));
	for (const { path, isFile } of written)
		assert.equal(await modeOf(path), isFile ? 0o600 : 0o700, path);
});
