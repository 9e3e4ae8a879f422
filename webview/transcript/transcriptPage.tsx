/** The page of a recording: sound above, text below. */

import { useSignal, useSignalEffect } from '@preact/signals';
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import type { TranscriptJob } from '../../server/protocol/index.ts';
import { Icon } from '../icons.tsx';
import { TranscribeForm } from './forms.tsx';
import { JobLine, jobNames } from './jobLine.tsx';
import { Lines } from './lines.tsx';
import { OutlineView } from './outlineView.tsx';
import { PlayerBar } from './playerBar.tsx';
import { handleKey } from './shortcuts.ts';
import { Toolbar } from './toolbar.tsx';
import { TranscriptContext, type TranscriptPageState, useTranscript } from './transcriptState.ts';

export function TranscriptPage({ page }: { page: TranscriptPageState }): VNode {
	useEffect(() => {
		const onKey = (event: KeyboardEvent) => handleKey(page, event);
		addEventListener('keydown', onKey);
		return () => removeEventListener('keydown', onKey);
	}, [page]);
	return (
		<TranscriptContext.Provider value={page}>
			<div class="recording">
				<header>
					<h1 class="visually-hidden">{page.state.value?.name ?? 'Nearglot'}</h1>
					<PlayerBar />
					{page.document.value && <Toolbar />}
					<JobLine />
					{page.state.value?.problem && (
						<p class="problem" role="alert">
							{page.state.value.problem}
						</p>
					)}
				</header>
				<main>
					<OutlineView />
					{page.lines.value.length > 0 ? <Lines /> : <Empty />}
					<Announcements />
				</main>
			</div>
		</TranscriptContext.Provider>
	);
}

function Empty(): VNode | null {
	const { state, job, document, send, t } = useTranscript();
	if (!state.value || job.value || document.value) return null;
	return (
		<div class="empty">
			<Icon name="microphone" />
			<h2>{t('empty')}</h2>
			<p class="note">{t(state.value.noModel ? 'noModel' : 'emptyBody')}</p>
			{state.value.noModel ? (
				<button type="button" onClick={() => send({ type: 'downloadModel' })}>
					{t('downloadModel')}
				</button>
			) : (
				<TranscribeForm label={t('transcribe')} />
			)}
		</div>
	);
}

/** What a screen reader hears of work that takes time. */
function Announcements(): VNode {
	const { job, document, t } = useTranscript();
	const said = useSignal('');
	const running = useSignal<TranscriptJob['kind'] | undefined>(undefined);
	useSignalEffect(() => {
		const kind = job.value?.kind;
		if (kind === running.peek()) return;
		running.value = kind;
		if (kind) said.value = t(jobNames[kind]);
		else if (document.peek()) said.value = t('ready');
		else said.value = t('stopped');
	});
	return (
		<div class="visually-hidden" role="status" aria-live="polite">
			{said.value}
		</div>
	);
}
