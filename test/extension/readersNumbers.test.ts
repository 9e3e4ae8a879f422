/** What trees and texts of the editor show of numbers is written as the reader writes it. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { JobInfo, ModelInfo } from '../../server/protocol/index.ts';
import { resetDesk } from './vscodeDouble.ts';

const vscode = await import('vscode');
const { describeJob } = await import('../../extension/jobs/jobsTree.ts');
const { ModelsTree } = await import('../../extension/models/modelsTree.ts');
const { loadedText } = await import('../../extension/models/loadedModels.ts');

const environment = vscode.env as { language: string };
const plain = (text: unknown) => String(text).replace(/\s/g, ' ');
const root = join(import.meta.dirname, '..', '..');

beforeEach(() => {
	resetDesk();
	environment.language = 'de';
});
afterEach(() => {
	environment.language = 'en';
});

test('rows of jobs and of models have numbers and sizes of the language of the editor', () => {
	const job = { status: 'in_progress', done: 1234, total: 5678, failed: 1000, perSecond: 12.34 };
	assert.equal(
		describeJob(job as JobInfo),
		'under way · 1.234 of 5.678 · 1.000 failed · 12,3 a second',
	);
	type Given = ConstructorParameters<typeof ModelsTree>;
	const tree = new ModelsTree({} as Given[0]);
	const model = { id: 'm:1', displayName: 'm', state: 'cached', sizeBytes: 8_400_000 } as ModelInfo;
	assert.equal(plain(tree.getTreeItem({ model }).description), '8,4 MB');
	const downloading = { doneBytes: 1, totalBytes: 4, bytesPerSecond: 2_500_000 };
	tree.progress('m:1', downloading as Parameters<typeof tree.progress>[1]);
	assert.equal(plain(tree.getTreeItem({ model }).description), '25 % · 2,5 MB/s');
	const loaded = { name: 'm', memoryBytes: 1_230_000_000 } as ModelInfo;
	assert.equal(plain(loadedText([loaded])), 'In memory: m 1,2 GB');
});

test('nothing that people see is written with a point, or in the language of the process', () => {
	// A report that goes to whoever makes the product, and a log.
	const others = ['extension/actions/diagnose.ts', 'extension/main.ts'];
	for (const folder of ['extension', 'webview']) {
		for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
			const path = `${folder}/${name.replaceAll('\\', '/')}`;
			if (!/\.tsx?$/.test(path) || others.includes(path)) continue;
			const text = readFileSync(join(root, path), 'utf8');
			assert.doesNotMatch(text, /\.toFixed\(|\.toLocale(?:Date|Time)?String\(\)/, path);
		}
	}
});
