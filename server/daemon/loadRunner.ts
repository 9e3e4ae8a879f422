/** Loads a model in a runner of its own. */

import type { LoadOptions, Verdict } from '../engine/api.ts';
import { AppError, asAppError, type ModelNotice } from '../protocol/index.ts';
import type { LoadedModel } from './modelSlot.ts';
import { runnerModel } from './runnerModel.ts';
import { type RunnerOptions, RunnerProcess } from './runnerProcess.ts';
import { maxVerdicts, type VerdictFile } from './verdictFile.ts';

export interface RunnerLoad extends RunnerOptions {
	readonly load: LoadOptions;
	/** Longest time it may take. */
	readonly timeoutMs: number;
	/** What earlier loads have found, and where this one's findings go. */
	readonly verdicts: VerdictFile | undefined;
}

/** Rejects with what kept the model from loading; then no process is left. */
export async function loadRunner(options: RunnerLoad, signal: AbortSignal): Promise<LoadedModel> {
	const { model, load, log, timeoutMs, verdicts } = options;
	const started = performance.now();
	const known = (await verdicts?.of(load.folder)) ?? [];
	const runner = new RunnerProcess(options);
	const giveUp = (error: AppError) => runner.kill(error);
	const tooLong = `Loading '${model}' took longer than ${Math.round(timeoutMs / 1000)} s.`;
	const timer = setTimeout(() => giveUp(new AppError('timeout', tooLong)), timeoutMs);
	const onAbort = () => giveUp(new AppError('cancelled'));
	signal.addEventListener('abort', onAbort, { once: true });
	if (signal.aborted) onAbort();
	const found: Verdict[] = [];
	try {
		const request = { ...load, ...(known.length === 0 ? {} : { verdicts: known }) };
		const description = await runner.call('load', request, (verdict) => {
			// A runner that its model has taken over may send any number.
			if (found.length < maxVerdicts) found.push(verdict);
		});
		const engine = runnerModel(runner, description);
		const { notices = [], runtime } = await engine.stats();
		runner.watch(runtime === 'session.run');
		const notKept = await keep(options, found);
		const loadMs = performance.now() - started;
		log.info('model loaded', {
			model,
			pid: runner.pid,
			ms: Math.round(loadMs),
			...(notices.length === 0 ? {} : { notices: notices.map(({ message }) => message).join(' ') }),
		});
		return { runner, engine, loadMs, notices: notKept };
	} catch (error) {
		await runner.close(1000);
		throw error;
	} finally {
		clearTimeout(timer);
		signal.removeEventListener('abort', onAbort);
	}
}

/** A full disk costs the next load a comparison, nothing else. */
async function keep(
	{ model, load, log, verdicts }: RunnerLoad,
	found: readonly Verdict[],
): Promise<readonly ModelNotice[]> {
	try {
		await verdicts?.keep(load.folder, found);
		return [];
	} catch (error) {
		const reason = asAppError(error).message;
		log.warn('what comparing rewritten graphs has found is not kept', { model, reason });
		if (found.length === 0) return [];
		const message = `What comparing the rewritten graphs has found could not be kept, so the next load compares again: ${reason}`;
		return [{ kind: 'note', message }];
	}
}
