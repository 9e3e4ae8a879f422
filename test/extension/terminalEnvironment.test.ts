/** The address and key of the model server in terminals: those of its own machine, and no others. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { desk, resetDesk } from './vscodeDouble.ts';

const { offerTerminalEnvironment } = await import('../../extension/terminalEnvironment.ts');

type Context = Parameters<typeof offerTerminalEnvironment>[0];
type Server = Parameters<typeof offerTerminalEnvironment>[1];

beforeEach(resetDesk);

/** What new terminals get in a window whose extension runs at that place. */
async function variablesOf(extensionKind: number): Promise<Map<string, string>> {
	const variables = new Map<string, string>();
	let asked = 0;
	const server = {
		request: async () => {
			asked++;
			return { url: 'http://127.0.0.1:7', key: 'secret' };
		},
		onHealth: () => ({ dispose() {} }),
	} as unknown as Server;
	const collection = {
		replace: (name: string, value: string) => variables.set(name, value),
		clear: () => variables.clear(),
	};
	const context = {
		extension: { extensionKind },
		environmentVariableCollection: collection,
	} as unknown as Context;
	offerTerminalEnvironment(context, server);
	await new Promise(setImmediate);
	assert.equal(asked, variables.size === 0 ? 0 : 1);
	return variables;
}

test('terminals of the machine on which the model server runs get its address and key', async () => {
	desk.settings = { 'terminal.environment': true };
	const own = new Map([
		['OPENAI_BASE_URL', 'http://127.0.0.1:7/v1'],
		['OPENAI_API_KEY', 'secret'],
	]);
	assert.deepEqual(await variablesOf(1), own);
	// The extension was installed on the other machine, and its server runs there.
	desk.remoteName = 'ssh-remote';
	assert.deepEqual(await variablesOf(2), own);
});

test('terminals of another machine get neither', async () => {
	desk.settings = { 'terminal.environment': true };
	for (const remoteName of ['ssh-remote', 'wsl', 'dev-container']) {
		desk.remoteName = remoteName;
		assert.equal((await variablesOf(1)).size, 0);
	}
});
