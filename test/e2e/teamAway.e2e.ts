/**
 * A team that goes away and comes back, in a real VS Code: in the middle of an answer, while a window is
 * reloaded, over the ends of short sessions in two windows, and at sign-out. Each begins with a new browser.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { findSecrets } from './findSecrets.ts';
import { chooseModel, chosen, signedOut, teamModels, toast } from './signInPages.ts';
import { type TeamDesk, teamDesk } from './teamDesk.ts';
import { ask, command, newChat, openChat } from './window.ts';

const chatPath = '/v1/chat/completions';

/** A window that is signed in and chats with a model of the team. */
async function atTeam(
	desk: TeamDesk,
	options: { readonly tokenLifetime?: string } = {},
): Promise<{ page: Page; frame: FrameLocator }> {
	await desk.fresh();
	await desk.team.open({ callbacks: desk.callbacks, ...options });
	const page = await desk.open();
	const frame = await openChat(page);
	await newChat(page, frame);
	await desk.signIn(page, 'dora');
	await teamModels(frame);
	await chooseModel(page, '· [::1]');
	await chosen(frame, true);
	return { page, frame };
}

/** Asks, and returns when the first words of the answer are shown and the rest waits. */
async function askHeld({ team }: TeamDesk, frame: FrameLocator, question: string) {
	const held = team.hold(chatPath);
	await frame.locator('.composer textarea').fill(question);
	await frame.locator('.composer .send').click();
	await held.begun;
	await shownQuestion(frame, question).waitFor();
	const words = frame.locator('.answer .markdown').last();
	await words.filter({ hasText: /\S/ }).waitFor();
	return { held, words: ((await words.textContent()) ?? '').trim() };
}

const shownQuestion = (frame: FrameLocator, text: string) =>
	frame.locator('.question').filter({ hasText: text });

const lastAnswer = (frame: FrameLocator) => frame.locator('.answer').last();

/** The last answer once it is no longer written. */
async function ended(frame: FrameLocator): Promise<string> {
	const answer = lastAnswer(frame);
	await answer.and(frame.locator('[aria-busy="false"]')).waitFor();
	return (await answer.textContent()) ?? '';
}

const tryAgain = (frame: FrameLocator) =>
	lastAnswer(frame).getByRole('button', { name: 'Try again', exact: true });

const noAnswer = /broke off|No answer|Stopped|was closed before/;

const notSignedIn = /has ended|not signed in|was withdrawn|sign in/i;

test('a team that goes away in the middle of an answer is told, loses nothing, and is there again for the same chat', async () => {
	const desk = await teamDesk();
	const { team, pictures } = desk;
	const { page, frame } = await atTeam(desk);
	await ask(frame, 'show the date');
	const { words } = await askHeld(desk, frame, 'show disk usage');
	const signIns = team.count('/.auth/me');
	await team.close();
	const broken = await ended(frame);
	assert.match(broken, /The answer broke off\..*went away in the middle/);
	assert.ok(broken.includes(words), `${words} in ${broken}`);
	await toast(page, /went away in the middle/).waitFor();
	await page.screenshot({ path: join(pictures, 'team-went-away.png') });
	// Nobody is there: the second try is another version, the first one stays.
	await tryAgain(frame).click();
	await lastAnswer(frame).filter({ hasText: 'cannot be reached' }).waitFor();
	assert.match(await ended(frame), /No answer\./);
	await lastAnswer(frame).getByRole('button', { name: 'Previous version' }).click();
	await lastAnswer(frame).filter({ hasText: 'The answer broke off' }).waitFor();
	assert.ok((await ended(frame)).includes(words));
	// One cause, one notice, though it has other words now.
	const offline = toast(page, /went away in the middle/);
	assert.equal(await toast(page, /team server/).count(), 1);
	await page.screenshot({ path: join(pictures, 'team-offline.png') });
	assert.equal(await toast(page, notSignedIn).count(), 0);
	// Models of this computer answer when people say so, not before.
	await chosen(frame, true);
	await offline.getByRole('button', { name: 'Use This Computer' }).click();
	await chosen(frame, false);
	await tryAgain(frame).click();
	await lastAnswer(frame).filter({ hasNotText: 'The answer broke off' }).waitFor();
	assert.doesNotMatch(await ended(frame), /cannot be reached|No answer/);
	// The team comes back, in a new process: the same chat goes on there.
	await team.open({ callbacks: desk.callbacks });
	const before = team.count(chatPath);
	await chooseModel(page, '· [::1]');
	await chosen(frame, true);
	const answer = await ask(frame, 'show open ports');
	assert.doesNotMatch(answer, /cannot be reached|No answer|broke off/);
	assert.equal(team.count(chatPath), before + 1);
	for (const question of ['show the date', 'show disk usage']) {
		assert.equal(await shownQuestion(frame, question).count(), 1, question);
	}
	assert.equal(team.count('/.auth/me'), signIns, 'nobody had to sign in');
	assert.equal(await toast(page, notSignedIn).count(), 0);
});

test('a window reloaded in the middle of an answer leaves no stream behind and keeps what arrived', async () => {
	const desk = await teamDesk();
	const { team } = desk;
	const { page, frame } = await atTeam(desk);
	const { held, words } = await askHeld(desk, frame, 'show disk usage');
	assert.equal(team.openRequests(chatPath), 1);
	await desk.load(page);
	await held.cut;
	await until('no stream is open', () => team.openRequests(chatPath) === 0);
	const after = await openChat(page);
	await shownQuestion(after, 'show disk usage').waitFor();
	const text = await ended(after);
	assert.ok(text.includes(words), `${words} in ${text}`);
	assert.match(text, /Stopped\.|The window was closed before this answer was finished\./);
	await page.screenshot({ path: join(desk.pictures, 'reloaded.png') });
	await chosen(after, true);
	const before = team.count(chatPath);
	assert.doesNotMatch(await ask(after, 'show the date'), noAnswer);
	assert.equal(team.count(chatPath), before + 1);
	assert.equal(team.openRequests(chatPath), 0);
});

test('two windows that stream over the ends of their tokens renew each once, and nobody is signed out', async () => {
	const desk = await teamDesk();
	const { team } = desk;
	const { page, frame } = await atTeam(desk, { tokenLifetime: '00:00:40' });
	const second = await desk.open();
	const other = await openChat(second);
	await newChat(second, other);
	await chosen(other, true);
	const here = await askHeld(desk, other, 'show open ports');
	await page.bringToFront();
	const there = await askHeld(desk, frame, 'show disk usage');
	const streams = [
		{ page, frame, ...there },
		{ page: second, frame: other, ...here },
	];
	const renewed = () =>
		team.passed.filter(({ path, status }) => path === '/.auth/refresh' && status === 200);
	const tokens = () => new Set(renewed().map(({ token }) => token));
	// This host's secret storages hear nothing of each other: each window renews what it has.
	await until('two tokens of each window have ended', () => tokens().size >= 3);
	for (const stream of streams) {
		await stream.page.bringToFront();
		stream.held.release();
		const text = await ended(stream.frame);
		assert.ok(text.includes(stream.words));
		assert.doesNotMatch(text, noAnswer);
	}
	for (const { page: window, frame: chat } of streams) {
		await window.bringToFront();
		const before = team.count(chatPath);
		assert.doesNotMatch(await ask(chat, 'show the date'), noAnswer);
		assert.equal(team.count(chatPath), before + 1);
		assert.equal(await toast(window, notSignedIn).count(), 0);
	}
	// Both windows have begun with the same token. After that a token that was given n times (both may
	// ask within one second) is in n windows; a window that renews a token twice makes one too many.
	const first = renewed()[0]?.token;
	for (const token of tokens()) {
		const times = renewed().filter((row) => row.token === token).length;
		const windows = token === first ? 2 : renewed().filter((row) => row.given === token).length;
		assert.ok(times <= windows, `a token that ${windows} windows had was renewed ${times} times`);
	}
	const refused = team.passed.filter(
		({ path, status }) => path === '/.auth/refresh' && status !== 200,
	);
	assert.deepEqual(refused, []);
});

test('signing out works while the team is away; no token is left on disk, and the team is told later', async () => {
	const desk = await teamDesk();
	const { team } = desk;
	const { page, frame } = await atTeam(desk);
	await ask(frame, 'show the date');
	const tokens = [...team.secrets].filter((secret) => secret.split('.').length === 3);
	assert.ok(tokens.length > 0);
	const secrets = Object.fromEntries(tokens.map((token, index) => [`token ${index}`, token]));
	await team.disconnect();
	await command(page, 'Nearglot: Sign Out of Team Server');
	await signedOut(page);
	assert.deepEqual(findSecrets(desk.folders, secrets), []);
	await ask(frame, 'words that must not be lost');
	await shownQuestion(frame, 'words that must not be lost').waitFor();
	assert.match(await ended(frame), /You are not signed in/);
	const before = team.count('/.auth/logout');
	await team.connect();
	await until('the team is told', () => team.count('/.auth/logout') > before);
	await desk.load(page);
	await signedOut(page);
	await page.close();
	assert.deepEqual(findSecrets(desk.folders, secrets), []);
});
