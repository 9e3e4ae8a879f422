/** How this program starts itself where the editor runs it. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { selfCommand } from '../../server/daemon/machine.ts';

const plain = process.versions;
after(() => Object.defineProperty(process, 'versions', { value: plain, configurable: true }));

test('the program of the editor is told to be a Node, another one is not', () => {
	assert.equal(selfCommand(['serve'], {}).env['ELECTRON_RUN_AS_NODE'], undefined);
	const versions = { ...plain, electron: '37.3.1' };
	Object.defineProperty(process, 'versions', { value: versions, configurable: true });
	const { file, args, env } = selfCommand(['builder'], {});
	assert.equal(env['ELECTRON_RUN_AS_NODE'], '1');
	assert.equal(file, process.execPath);
	assert.equal(args.at(-1), 'builder');
});
