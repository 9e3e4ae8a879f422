/** What happens before the first token, in words instead of a spinner. */

import { signal } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ChatProgress } from '../server/protocol/index.ts';
import { useChat } from './page.ts';

/** How full the bar of a load gets that takes longer than the last one. */
const almost = 0.95;

export function ProgressLine(): VNode | null {
	const { progress, t } = useChat();
	const now = progress.value;
	if (!now) return <span class="caret" aria-hidden="true" />;
	const words = now.phase === 'queued' ? t('queued', now.place ?? 1) : t(now.phase);
	const share = now.fraction === undefined ? '' : ` ${Math.floor(100 * now.fraction)} %`;
	return (
		<p class="progress">
			<span>
				{words} …{share}
			</span>
			{now.phase === 'loading' ? (
				<LoadBar label={words} progress={now} />
			) : now.fraction === undefined ? (
				<progress aria-label={words} />
			) : (
				<progress aria-label={words} value={now.fraction} max={1} />
			)}
		</p>
	);
}

/** Fills by the clock: a load tells no steps, but how long it took last time is known. */
function LoadBar({ label, progress }: { label: string; progress: ChatProgress }): VNode {
	const passedMs = useMemo(() => signal(0), []);
	useEffect(() => {
		const began = performance.now();
		const timer = setInterval(() => {
			passedMs.value = performance.now() - began;
		}, 250);
		return () => clearInterval(timer);
	}, [passedMs]);
	const { expectedMs } = progress;
	const seconds = Math.floor(passedMs.value / 1000);
	return (
		<>
			{expectedMs === undefined ? (
				<progress aria-label={label} />
			) : (
				<progress
					aria-label={label}
					value={Math.min(almost, passedMs.value / Math.max(1, expectedMs))}
					max={1}
				/>
			)}
			{seconds > 0 && <span>{seconds} s</span>}
		</>
	);
}
