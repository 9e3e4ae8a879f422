/** How far the work is: a bar, seconds of the recording, × real time, what is left; and *Cancel*. */

import type { VNode } from 'preact';
import { shortClock, type TranscriptJob } from '../../server/protocol/index.ts';
import { numberText } from '../numberText.ts';
import { type TranscriptPageState, useTranscript } from './transcriptState.ts';

export function JobLine(): VNode | null {
	const page = useTranscript();
	const { job, duration, send, t } = page;
	const now = job.value;
	if (!now) return null;
	const total = now.total ?? (now.kind === 'transcribe' ? duration.value : undefined);
	const known = now.phase === 'running' && total !== undefined && total > 0;
	return (
		<div class="job">
			<progress
				aria-label={t(jobNames[now.kind])}
				{...(known ? { value: Math.min(now.done, total), max: total } : {})}
			/>
			<span class="note">{jobText(page, now, total)}</span>
			<button type="button" class="secondary" onClick={() => send({ type: 'cancel' })}>
				{t('cancel')}
			</button>
		</div>
	);
}

/** Text that names a work. */
export const jobNames = {
	transcribe: 'transcribing',
	translate: 'translating',
	outline: 'outlining',
} as const;

function jobText({ t }: TranscriptPageState, job: TranscriptJob, total?: number): string {
	if (job.phase === 'connecting') return t('connecting');
	if (job.phase === 'loading') return t('loading');
	if (job.kind === 'outline') return t('outlining');
	if (job.kind === 'translate') return t('ago', job.done, total ?? '?');
	const parts = [total ? t('ago', shortClock(job.done), shortClock(total)) : shortClock(job.done)];
	if (job.speed !== undefined) {
		parts.push(t('realTime', numberText(job.speed, job.speed < 10 ? 1 : 0)));
		if (total) parts.push(t('left', shortClock(Math.max(0, total - job.done) / job.speed)));
	}
	return parts.join(' · ');
}
