/** Whether sums of signed bytes are cut off is asked of the library, and is what the processor says. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openRuntime } from '../../server/engine/verify/openRuntime.ts';
import { cutsSignedSums } from '../../server/engine/verify/signedSums.ts';

const flags = '/proc/cpuinfo';
const skip =
	process.arch === 'x64' && existsSync(flags) ? false : 'the system does not tell of its processor';

for (const plain of [false, true])
	test(`sums are cut off on x64 without VNNI only (${plain ? 'session.run' : 'C API'})`, {
		skip,
	}, async () => {
		const hasVnni = /\bavx(512)?_vnni\b/.test(readFileSync(flags, 'utf8'));
		assert.equal(await cutsSignedSums(await openRuntime(plain)), !hasVnni);
	});
