/** What `npm start` proposes can be pasted into the shells of the system. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
// @ts-expect-error: the scripts are plain JavaScript
import { requestLines } from '../../scripts/requestLines.mjs';

const url = 'http://127.0.0.1:1234';
const body = {
	model: 'starter-chat',
	messages: [{ role: 'user', content: 'extract a tar.gz file' }],
};

test('on Windows a request is shown for PowerShell and for cmd, elsewhere for a shell of Unix', () => {
	const [powershell = '', cmd = '', ...others]: string[] = requestLines(url, 'win32');
	assert.deepEqual(others, []);
	assert.match(powershell, /^PowerShell: Invoke-RestMethod http:\S+ /);
	assert.deepEqual(JSON.parse(/-Body '([^']*)'$/.exec(powershell)?.[1] ?? ''), body);
	assert.doesNotMatch(cmd, /'/);
	assert.deepEqual(JSON.parse(/-d "(.*)"$/.exec(cmd)?.[1]?.replaceAll('\\"', '"') ?? ''), body);
	for (const platform of ['linux', 'darwin']) {
		const [line = ''] = requestLines(url, platform) as string[];
		assert.deepEqual(JSON.parse(/-d '([^']*)'$/.exec(line)?.[1] ?? ''), { ...body, stream: true });
	}
});
