/** What models are built with, for tests in which none is. */

import assert from 'node:assert/strict';
import type { BuildDeps } from '../../server/services/runBuild.ts';

export const noBuilding: BuildDeps = {
	builder: { build: () => assert.fail('nothing is built here') },
	memoryBytes: () => 2 ** 40,
	memorySpeed: async () => 1e10,
	now: () => 0,
	elapsed: () => 0,
};
