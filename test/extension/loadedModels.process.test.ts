/** What the engine remarks about models in memory, where people see it: status item, tree, Diagnose. */

import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import type {
	LanguageServerClient,
	LanguageServerHealth,
} from '../../extension/languageServerClient.ts';
import type { ModelInfo, ModelNotice } from '../../server/protocol/index.ts';
import { desk, resetDesk } from './vscodeDouble.ts';

const { LoadedModels } = await import('../../extension/models/loadedModels.ts');
const { ModelsTree } = await import('../../extension/models/modelsTree.ts');
const { createStatusItem } = await import('../../extension/statusItem.ts');
const { diagnose } = await import('../../extension/actions/diagnose.ts');

beforeEach(() => {
	resetDesk();
	desk.settings['inline.model'] = '';
});

const fault: ModelNotice = {
	kind: 'fallback',
	reason: 'a file of koffi is missing',
	message: 'Models run slower than they could. Install Nearglot again.',
};
const note: ModelNotice = { kind: 'note', message: 'Sequences run one at a time.' };

const model = (name: string, more: Partial<ModelInfo>): ModelInfo => ({
	id: `${name}:1`,
	name,
	version: '1',
	alias: name,
	displayName: name,
	task: 'chat-completion',
	state: 'loaded',
	origin: 'built-in',
	publisher: 'Nearglot',
	license: 'mit',
	supportsToolCalling: false,
	...more,
});

/** A server that lists these models; each answer is work that begins and ends, as with the real one. */
function fakeFront(list: () => readonly ModelInfo[]) {
	const listeners = new Set<(health: LanguageServerHealth) => void>();
	const asked: string[] = [];
	const front = {
		health: { server: 'running', status: undefined } as LanguageServerHealth,
		onHealth: (listener: (health: LanguageServerHealth) => void) => {
			listeners.add(listener);
			return { dispose: () => listeners.delete(listener) };
		},
		request: async (method: string) => {
			asked.push(method);
			work();
			if (method !== 'nearglot/models') throw new Error('Not here.');
			return { models: list() };
		},
	};
	const report = (status: LanguageServerHealth['status']) => {
		front.health = { server: 'running', status };
		for (const listener of listeners) listener(front.health);
	};
	/** Something is asked and answered. */
	const work = () => {
		const daemon = { url: 'http://127.0.0.1:1', pid: 7 };
		for (const quiescent of [false, true]) report({ pid: 1, health: 'ok', quiescent, daemon });
	};
	return {
		front: front as unknown as LanguageServerClient,
		asked,
		work,
		gone: () => report(undefined),
	};
}

function open(t: TestContext, list: () => readonly ModelInfo[]) {
	t.mock.timers.enable({ apis: ['setTimeout'] });
	const { front, ...server } = fakeFront(list);
	let elapsedMs = 0;
	const loaded = new LoadedModels(front, () => elapsedMs);
	const tree = new ModelsTree(front);
	const item = createStatusItem(front, loaded);
	t.after(() => {
		item.dispose();
		loaded.dispose();
	});
	const [shown] = desk.statusItems;
	assert.ok(shown);
	/** Lets time pass, and what was asked then be answered. */
	const pass = async (ms: number) => {
		elapsedMs += ms;
		t.mock.timers.tick(ms);
		await new Promise((resolve) => setImmediate(resolve));
	};
	const treeItem = async (name: string) => {
		const [task] = await tree.getChildren();
		const nodes = await tree.getChildren(task);
		const items = nodes.map((node) => tree.getTreeItem(node));
		const found = items.find(({ label }) => label === name);
		const { iconPath, tooltip } = found as unknown as Record<string, { id: string; value: string }>;
		return { icon: iconPath?.id, tooltip: tooltip?.value ?? '' };
	};
	const background = () => shown.backgroundColor?.id;
	return { ...server, front, loaded, shown, background, pass, treeItem };
}

test('a fault of the installation is a warning of the status item, of the tree and of Diagnose', async (t) => {
	const models = [model('chat', { notices: [fault] }), model('other', { state: 'cached' })];
	const { work, shown, background, pass, treeItem, loaded, front } = open(t, () => models);
	let told = 0;
	loaded.onDidChange(() => told++);
	assert.equal(background(), undefined);
	work();
	await pass(0);
	assert.equal(told, 1);
	assert.equal(shown.text, '$(warning) Nearglot');
	assert.equal(background(), 'statusBarItem.warningBackground');
	const warning =
		/^Models run slower than they could.* \(a file of koffi is missing\).* Install Nearglot again/;
	assert.match(shown.tooltip, warning);
	assert.match(shown.tooltip, /^In memory: chat$/m);
	const { icon, tooltip } = await treeItem('chat');
	assert.equal(icon, 'warning');
	assert.match(tooltip, warning);
	assert.equal((await treeItem('other')).icon, 'circle-outline');
	await diagnose(front, '1.2.3');
	assert.match(desk.documents.join(), /^Engine: .*\n {2}WARNING: Models run slower .* again\.$/m);
});

test('a note on a model is told and warns of nothing', async (t) => {
	const models = [model('chat', { notices: [note] })];
	const { work, shown, background, pass, treeItem, front } = open(t, () => models);
	work();
	await pass(0);
	assert.equal(shown.text, '$(comment-discussion) Nearglot');
	assert.equal(background(), undefined);
	assert.match(shown.tooltip, /^chat: Sequences run one at a time\.$/m);
	const { icon, tooltip } = await treeItem('chat');
	assert.equal(icon, 'circle-filled');
	assert.match(tooltip, /^chat: Sequences run one at a time\./);
	await diagnose(front, '1.2.3');
	assert.match(desk.documents.join(), /^Engine: .*\n {2}chat: Sequences run one at a time\.$/m);
});

test('the warning stays while work goes on and goes with the daemon', async (t) => {
	const { work, background, pass, gone } = open(t, () => [model('chat', { notices: [fault] })]);
	work();
	await pass(0);
	work();
	assert.equal(background(), 'statusBarItem.warningBackground');
	gone();
	assert.equal(background(), undefined);
});

test('models are asked for after work, seldom, never because of the own question, never to start a daemon', async (t) => {
	let models: ModelInfo[] = [];
	const { work, asked, pass, gone, loaded } = open(t, () => models);
	work();
	await pass(0);
	assert.equal(asked.length, 1);
	await pass(60_000);
	assert.equal(asked.length, 1, 'the own question is no work');
	work();
	await pass(0);
	models = [model('chat', {})];
	work();
	await pass(0);
	assert.equal(asked.length, 2, 'not twice in a row');
	await pass(3000);
	assert.equal(asked.length, 3, 'what ended in the pause is seen after it');
	assert.deepEqual(loaded.models, models);
	work();
	gone();
	await pass(60_000);
	assert.equal(asked.length, 3);
	assert.deepEqual(loaded.models, []);
});
