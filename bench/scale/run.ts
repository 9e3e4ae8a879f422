/**
 * `npm run bench -- scale measure`: measures real servers behind HAProxy into bench/scale/measured.json;
 * `… scale simulate`: repeats that, then 10 to 10,000 servers, into bench/scale/simulated.json;
 * `… scale document`: writes docs/scale.md from both.
 */

import { writeFileSync } from 'node:fs';
import { documentOf } from './document.ts';
import { gateOf } from './gate.ts';
import { keptFiles, readMeasured, readSimulated, writeFigures } from './keptFigures.ts';
import { largerRuns } from './larger.ts';
import { measure } from './measure.ts';

/** @returns exit code: 1 where the simulator does not do what was measured */
export async function runScale([action, ...rest]: readonly string[]): Promise<number> {
	if (rest.length > 0 || !/^(?:measure|simulate|document)$/.test(action ?? '')) {
		console.error('Say what to do: npm run bench -- scale measure|simulate|document');
		return 2;
	}
	if (action === 'measure') {
		writeFigures(keptFiles.measured, await measure(console.log));
		return 0;
	}
	const measured = readMeasured();
	if (action === 'document') {
		writeFileSync(keptFiles.document, documentOf(measured, readSimulated()));
		return 0;
	}
	const gate = gateOf(measured);
	for (const { run, cachePoints, p95Share, isCacheRight, isP95Right } of gate)
		console.log(
			`${run.replicas} servers, ${run.policy}: cache share ${cachePoints.toFixed(1)} points (${isCacheRight ? 'right' : 'misses'}), p95 ${(p95Share * 100).toFixed(0)} % (${isP95Right ? 'right' : 'misses'})`,
		);
	if (gate.some(({ isCacheRight }) => !isCacheRight)) {
		console.error(
			'The cache shares are not those that were measured: nothing larger is simulated.',
		);
		return 1;
	}
	writeFigures(keptFiles.simulated, largerRuns(measured.times, undefined, console.log));
	return gate.every(({ isP95Right }) => isP95Right) ? 0 : 1;
}
