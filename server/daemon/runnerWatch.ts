/**
 * Notices a runner that is frozen (its loop does not answer) or stuck (it answers, and the work it was given makes
 * no step). Counts questions instead of time, so that a computer that slept does not make its runners look so.
 */

/** Longest time without an answer: long runs of graphs are on other threads. */
const silentMs = 20_000;
/** Longest time in which no request gets a step further: no run of a graph takes longer. */
export const stuckMs = 120_000;

export interface RunnerWatch {
	readonly everyMs: number;
	readonly silentMs: number;
	readonly stuckMs: number;
}

export interface WatchedRunner extends Partial<RunnerWatch> {
	/** Resolves to the steps it has made, once its loop answers. */
	ping(): Promise<number>;
	/** How many messages about its work have come so far. */
	received(): number;
	/** Whether somebody waits for its work. */
	isWorking(): boolean;
	/** Told while somebody waits for its work, and it has not answered for a quarter of the longest time. */
	onSilence?(limitMs: number): void;
	/** Told once, with what it did not do. */
	onHang(what: string): void;
}

export function watchRunner(runner: WatchedRunner): Disposable {
	const limits = { everyMs: 4000, silentMs, stuckMs, ...runner };
	let unanswered = 0;
	let isReported = false;
	let standstill = 0;
	let steps = 0;
	let received = 0;
	const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
	const hang = (what: string) => {
		clearInterval(timer);
		runner.onHang(what);
	};
	const onAnswer = (made: number) => {
		unanswered = 0;
		isReported = false;
		const gotOn = made !== steps || runner.received() !== received || !runner.isWorking();
		[steps, received] = [made, runner.received()];
		standstill = gotOn ? 0 : standstill + 1;
		if (standstill * limits.everyMs > limits.stuckMs)
			hang(`made no step for ${seconds(limits.stuckMs)}`);
	};
	const timer = setInterval(() => {
		if (unanswered === 0) runner.ping().then(onAnswer, () => {});
		unanswered++;
		if (!isReported && unanswered > 1 && unanswered * limits.everyMs > limits.silentMs / 4) {
			isReported = runner.isWorking();
			if (isReported) runner.onSilence?.(limits.silentMs);
		}
		if (unanswered * limits.everyMs > limits.silentMs + limits.everyMs)
			hang(`did not answer for ${seconds(limits.silentMs)}`);
	}, limits.everyMs).unref();
	return { [Symbol.dispose]: () => clearInterval(timer) };
}
