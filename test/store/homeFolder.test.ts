/** The home folder of users that the system does not know. */

import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { test } from 'node:test';
import { dataDir } from '../../server/daemon/paths.ts';
import { homeFolder } from '../../server/store/homeFolder.ts';

test('a user without a name and a home is told what to set, and needs none where the data folder is named', () => {
	const home = homeFolder(() => {
		throw new Error('A system error occurred: uv_os_homedir returned ENOENT');
	});
	const machine = { platform: 'linux', env: {}, home, tmp: '/tmp' } as const;
	assert.throws(() => dataDir(machine), /There is no home folder.*NEARGLOT_HOME/);
	assert.equal(dataDir({ ...machine, env: { NEARGLOT_HOME: '/data' } }), '/data');
	assert.equal(homeFolder(), homedir());
});
