import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { translatorErrors } from '../../server/http/translate/translateErrors.ts';
import { AppError, asAppError, errorKinds, stackOf } from '../../server/protocol/index.ts';
import { complaintsOf } from '../faults/messages.ts';

test('every row of the error tables is a sentence', () => {
	const sentences = [
		...Object.values(errorKinds).map(({ sentence }) => sentence),
		...Object.values(translatorErrors),
	];
	// The rows of the unforeseen say just that.
	for (const sentence of sentences)
		assert.deepEqual(
			complaintsOf(sentence).filter((complaint) => !/nobody had foreseen/.test(complaint)),
			[],
			sentence,
		);
});

test('codes, statuses and numbers of the error table belong together', () => {
	const numbers = new Map<number, string>();
	for (const [code, kind] of Object.entries(errorKinds)) {
		assert.ok(kind.httpStatus >= 400 && kind.httpStatus < 600, code);
		assert.ok(kind.rpcCode < 0, code);
		assert.equal(numbers.get(kind.rpcCode), undefined, `${code} and ${numbers.get(kind.rpcCode)}`);
		numbers.set(kind.rpcCode, code);
	}
});

test('whatever the system refuses is a sentence that names the file or the address', () => {
	// Windows lists its own names of sockets' errors as well (WSAEINTR); Node gives errors those of all systems.
	const codes = Object.keys(constants.errno).filter((code) => code.startsWith('E'));
	for (const code of [...codes, 'ENOTFOUND', 'EAI_AGAIN']) {
		const places = [
			{ syscall: 'open', path: '/data/keys.json' },
			{ syscall: 'rename', path: '/data/keys.json', dest: '/data/old.json' },
			{ syscall: 'connect', address: '::1', port: 8080 },
			{ syscall: 'write' },
		];
		for (const place of places) {
			const error = Object.assign(new Error(`${code}: words of the system, x`), { code, ...place });
			const known = asAppError(error);
			assert.notEqual(known.code, 'internal', code);
			assert.equal(known.cause, error);
			const named = place.path ?? (known.message.startsWith('[::1]') ? '[::1]:8080' : '');
			assert.ok(known.message.includes(named), known.message);
			// A code without words of its own is at least in a sentence.
			const complaints = complaintsOf(known.message.replace(`refuses with ${code}.`, 'refuses.'));
			assert.deepEqual(complaints, [], known.message);
		}
	}
});

test('an unexpected error says what was being done, and its stack is for the log', () => {
	const error = new TypeError('boom');
	const known = asAppError(error, 'answering GET /health');
	assert.match(known.message, /^Something went wrong inside Nearglot while answering GET \/health/);
	assert.equal(stackOf(known), error.stack);
	assert.equal(stackOf(new AppError('conflict')), undefined);
	assert.equal(stackOf(Object.assign(new Error('x'), { code: 'EIO' })), undefined);
});

test('no message in the sources advises what does not exist', () => {
	const root = fileURLToPath(new URL('../../', import.meta.url));
	for (const name of readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })) {
		if (!name.endsWith('.ts')) continue;
		const text = readFileSync(join(root, 'server', name), 'utf8');
		for (const [, message = ''] of text.matchAll(
			/AppError\(\s*'\w+',\s*[`'"]((?:[^`'\\]|\\.)*)/g,
		)) {
			const advice = complaintsOf(message).filter((complaint) =>
				complaint.startsWith('there is no'),
			);
			assert.deepEqual(advice, [], `${name}: ${message}`);
		}
	}
});
