/** What becomes of an error of signing in on its way through the editor, which hands on its message alone. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { AppError, teamStrings } from '../../../server/protocol/index.ts';
import { desk, resetDesk } from '../vscodeDouble.ts';

const { TeamAccounts } = await import('../../../extension/account/authProvider.ts');

function accounts() {
	const secrets = {
		get: async () => undefined,
		store: async () => undefined,
		onDidChange: () => ({ dispose: () => {} }),
	};
	const context = { secrets, subscriptions: [] };
	const log = { info: () => {}, warn: () => {} };
	type Given = ConstructorParameters<typeof TeamAccounts>;
	return new TeamAccounts(context as unknown as Given[0], log as unknown as Given[1]);
}

/** As the editor calls a provider: other errors come out than went in. */
const throughEditor = async <T>(work: Promise<T>): Promise<T> => {
	try {
		return await work;
	} catch (error) {
		throw Object.assign(new Error((error as Error).message), { name: (error as Error).name });
	}
};

beforeEach(resetDesk);

test('a sign-in that fails says why in the language of the editor, and is no fault of the product', async () => {
	desk.texts = { [teamStrings.needsHttps]: 'Nur mit https.' };
	const all = accounts();
	const work = all.begin(() => throughEditor(all.createSession(['host:ftp://team.example'])));
	await assert.rejects(work, (error) => {
		assert.ok(error instanceof AppError);
		assert.deepEqual([error.code, error.message], ['invalid_request', 'Nur mit https.']);
		return true;
	});
	all.dispose();
});

test('a sign-in that the editor was not allowed to begin is cancelled, whatever failed before', async () => {
	const all = accounts();
	await assert.rejects(all.createSession(['host:ftp://team.example']));
	const refused = all.begin(() => Promise.reject(new Error('User did not consent to login.')));
	await assert.rejects(refused, (error) => error instanceof AppError && error.code === 'cancelled');
	all.dispose();
});
