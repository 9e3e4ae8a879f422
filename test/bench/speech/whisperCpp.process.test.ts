/** The comparison with whisper.cpp: its program is found, and what it prints is read. */

import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findWhisperCpp, readTimings, whisperCppRows } from '../../../bench/speech/whisperCpp.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const printed = `
whisper_print_timings:     load time =   115.59 ms
whisper_print_timings:   sample time =    21.34 ms /    27 runs (    0.79 ms per run)
whisper_print_timings:   encode time =  1624.00 ms /     2 runs (  812.00 ms per run)
whisper_print_timings:   decode time =    87.50 ms /    25 runs (    3.50 ms per run)
whisper_print_timings:   batchd time =    10.00 ms /     2 runs (    5.00 ms per run)
whisper_print_timings:   prompt time =     2.50 ms /     1 runs (    2.50 ms per run)
whisper_print_timings:    total time =  2100.00 ms
`;

test('its timings are read per window', () => {
	assert.deepEqual(readTimings(printed), { encodeMs: 1624, encodeRuns: 2, decodeMs: 100 });
	assert.throws(() => readTimings('error: failed to load'), /printed no timings/);
});

test('it is found by its name in PATH or by the variable, and its failures are told', {
	skip: process.platform === 'win32' && 'programs need no mode there',
}, async () => {
	const folder = temporaryFolder('cpp');
	assert.equal(findWhisperCpp({ PATH: folder }), undefined);
	const program = join(folder, 'whisper-cli');
	await writeFile(program, `#!/bin/sh\ncat >&2 <<'END'\n${printed}END\n`);
	assert.equal(findWhisperCpp({ PATH: folder }), undefined, 'a file nobody may run is no program');
	await chmod(program, 0o755);
	assert.equal(findWhisperCpp({ PATH: `/nowhere:${folder}` }), program);
	assert.equal(findWhisperCpp({ PATH: folder, NEARGLOT_WHISPER_CPP: '/nowhere/main' }), undefined);
	const own = join(folder, 'main');
	await writeFile(own, '#!/bin/sh\necho no such model >&2\nexit 3\n', { mode: 0o755 });
	assert.equal(findWhisperCpp({ PATH: '', NEARGLOT_WHISPER_CPP: own }), own);
	const [encoder, decoder] = whisperCppRows(program, 'model.bin', 'a.wav', 45, 2);
	assert.equal(encoder?.ms, 812);
	assert.equal(decoder?.ms, 50);
	assert.equal(decoder?.timesRealTime, 600);
	assert.throws(() => whisperCppRows(own, 'm', 'a.wav', 1, 2), /ended with 3: no such model/);
});
