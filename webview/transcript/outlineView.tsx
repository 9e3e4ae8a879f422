/** What a chat model says of the recording: a summary, and chapters to jump to. */

import type { VNode } from 'preact';
import { shortClock, type TranscriptChapter } from '../../server/protocol/index.ts';
import { useTranscript } from './transcriptState.ts';

export function OutlineView(): VNode | null {
	const { document, lines, job, player, send, t } = useTranscript();
	const { outline, language } = document.value ?? {};
	if (!outline) return null;
	const go = ({ start }: TranscriptChapter) => {
		player.seek(start);
		const line = lines.value.findIndex((one) => one.start >= start);
		window.document.querySelector('.lines')?.children[line]?.scrollIntoView({ block: 'start' });
	};
	return (
		<details class="outline" open>
			<summary>{t('outline')}</summary>
			<p lang={language} dir="auto">
				{outline.summary}
			</p>
			<ol>
				{outline.chapters.map((chapter) => (
					<li key={chapter.start}>
						<button type="button" class="link" onClick={() => go(chapter)}>
							<span class="time">{shortClock(chapter.start)}</span>
							<span lang={language} dir="auto">
								{chapter.title}
							</span>
						</button>
					</li>
				))}
			</ol>
			<p class="note">
				{t('outlineBy', outline.model)}{' '}
				<button
					type="button"
					class="link"
					disabled={job.value !== null}
					onClick={() => send({ type: 'clearOutline' })}
				>
					{t('outlineClear')}
				</button>
			</p>
		</details>
	);
}
