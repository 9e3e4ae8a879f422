/** One notice a cause, and what can be done about it. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import {
	AppError,
	signInRequired,
	teamUnreachable,
	teamWentAway,
} from '../../server/protocol/index.ts';
import { desk, resetDesk } from './vscodeDouble.ts';

const { showError } = await import('../../extension/notify.ts');

const [team, other] = ['https://team.example', 'https://other.example'];

/** Notices on the screen, each with what it offers and the way to answer it. */
let notices: { offers: unknown[]; choose: (button?: string) => void }[] = [];

beforeEach(() => {
	resetDesk();
	notices = [];
	desk.message = (_text, ...offers) =>
		new Promise((resolve) => notices.push({ offers, choose: resolve }));
});

test('several messages of one trouble with one team server are one notice until that is gone', async () => {
	const first = showError(teamWentAway(team));
	void showError(teamUnreachable(team, undefined));
	void showError(teamWentAway(team));
	assert.equal(notices.length, 1);
	void showError(teamUnreachable(other, undefined));
	void showError(signInRequired(team));
	void showError(new AppError('internal', 'Something else.'));
	assert.equal(notices.length, 4);
	void showError(signInRequired(team, 'revoked'));
	assert.equal(notices.length, 4);
	notices[0]?.choose();
	await first;
	void showError(teamUnreachable(team, undefined));
	assert.equal(notices.length, 5);
	void showError(new AppError('cancelled'));
	assert.equal(notices.length, 5);
	for (const { choose } of notices) choose();
});

const action = {
	...{ kind: 'download', model: 'opus-mt-en-ja', name: 'OPUS-MT en → ja', bytes: 115e6 },
	licence: 'apache-2.0',
	also: [{ model: 'm2m100-418m', name: 'M2M100', bytes: 640e6, licence: 'mit' }],
};

test('what whoever asked can mend alone comes without a log', async () => {
	const showing = showError(new AppError('invalid_request', 'Open a text first.'));
	assert.deepEqual(notices[0]?.offers, []);
	notices[0]?.choose();
	await showing;
});

test('a file that cannot be read is whose it is to mend: no log is offered', async () => {
	for (const code of ['invalid_audio', 'unsupported_media_type'] as const) {
		const showing = showError(new AppError(code));
		assert.deepEqual(notices.at(-1)?.offers, []);
		notices.at(-1)?.choose(undefined);
		await showing;
	}
});

test('what is offered fits the trouble, and is done', async () => {
	for (const [error, offers, button, command] of [
		[
			teamWentAway(team),
			['Use This Computer', 'Show Log'],
			'Use This Computer',
			['nearglot.team.useThisComputer'],
		],
		[
			signInRequired(team),
			['Sign In', 'Use This Computer'],
			'Sign In',
			['nearglot.team.signIn', true],
		],
		[
			new AppError('daemon_unavailable'),
			['Restart Server', 'Show Log'],
			'Restart Server',
			['nearglot.server.restart'],
		],
		[
			new AppError('model_not_found', 'Nothing translates en to ja.', { data: { action } }),
			['Get OPUS-MT en → ja + M2M100 (about 755 MB)'],
			'Get OPUS-MT en → ja + M2M100 (about 755 MB)',
			['nearglot.models.download', action],
		],
		[new AppError('disk_full'), ['Show Log'], 'Show Log', ['nearglot.server.showLog']],
	] as const) {
		const showing = showError(error);
		const notice = notices.at(-1);
		assert.deepEqual(notice?.offers, offers);
		notice?.choose(button);
		await showing;
		assert.deepEqual(desk.commands.at(-1), command);
	}
});
