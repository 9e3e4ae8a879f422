/** Whether the simulator does what was measured: before that it prints no larger number. */

import type { Measured } from './measure.ts';
import { type ClosedRun, closedRun, type RunResult } from './simulate.ts';

/** Largest differences: of cache shares in points, of the 95th percentile of its measured value. */
export const allowed = { cachePoints: 3, p95Share: 0.2 } as const;

export interface GateRow {
	readonly run: ClosedRun;
	readonly measured: RunResult;
	readonly simulated: RunResult;
	/** Simulated less measured. */
	readonly cachePoints: number;
	readonly p95Share: number;
	readonly isCacheRight: boolean;
	readonly isP95Right: boolean;
}

export const gateOf = ({ runs, times }: Measured): readonly GateRow[] =>
	runs.map(({ run, measured }) => {
		const simulated = closedRun(run, times);
		const cachePoints = (simulated.cacheShare - measured.cacheShare) * 100;
		const p95Share = simulated.p95S / measured.p95S - 1;
		return {
			...{ run, measured, simulated, cachePoints, p95Share },
			isCacheRight: Math.abs(cachePoints) <= allowed.cachePoints,
			isP95Right: Math.abs(p95Share) <= allowed.p95Share,
		};
	});
