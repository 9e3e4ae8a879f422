import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathFault } from '../../server/hub/names.ts';
import { checkUrl, isPublicAddress, publicLookup } from '../../server/hub/publicAddresses.ts';

const trusted = new Set(['127.0.0.1:8080']);

test('private, loopback, link-local and mapped addresses are not public', () => {
	for (const address of [
		'127.0.0.1',
		'10.1.2.3',
		'172.16.0.1',
		'192.168.1.1',
		'169.254.169.254',
		'0.0.0.0',
		'100.64.0.1',
		'::1',
		'fe80::1',
		'fc00::1',
		'::ffff:127.0.0.1',
		'not an address',
	])
		assert.equal(isPublicAddress(address), false, address);
	for (const address of ['1.1.1.1', '2606:4700:4700::1111'])
		assert.equal(isPublicAddress(address), true);
});

test('only https to public hosts and the configured hub may be asked', () => {
	for (const url of [
		'file:///etc/passwd',
		'ftp://example.com/x',
		'http://example.com/x',
		'https://127.0.0.1/x',
		'https://[::1]/x',
		'https://169.254.169.254/latest',
		'https://localhost/x',
		'https://db.internal/x',
		'https://user:pass@example.com/x',
	])
		assert.throws(() => checkUrl(new URL(url), trusted), { code: 'forbidden' }, url);
	checkUrl(new URL('https://example.com/x'), trusted);
	checkUrl(new URL('http://127.0.0.1:8080/x'), trusted);
});

test('a name that resolves to loopback is refused at connect time', async () => {
	const lookup = publicLookup(new Set());
	const error = await new Promise<NodeJS.ErrnoException | null>((resolve) =>
		lookup('localhost', {}, (fault) => resolve(fault)),
	);
	assert.equal(error?.code, 'forbidden');
});

test('paths that any file system would misread are refused', () => {
	for (const path of [
		'',
		'..',
		'a/../b',
		'/a',
		'a//b',
		'C:a',
		'a\\b',
		'a\u0000',
		'NUL',
		'com1.onnx',
		'com¹.onnx',
		'lpt9',
		'nul .txt',
		'a.',
		'b ',
	])
		assert.notEqual(pathFault(path), undefined, JSON.stringify(path));
	for (const path of ['config.json', 'onnx/model_q4.onnx', 'a b/ü.json', '.gitattributes'])
		assert.equal(pathFault(path), undefined, path);
});
